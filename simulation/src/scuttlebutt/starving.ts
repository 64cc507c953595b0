// Members without enough processor time: all of them stop again and again for a while, as on a machine
// with too many processes, while one of them is dead, or receives nothing. Then there is time enough, and
// somebody must lead.
import { judgeLed } from '../kernel/judge.ts';
import { cutLinks, trouble } from '../kernel/links.ts';
import { between, happens } from '../kernel/random.ts';
import { schedule, scheduleFor } from '../kernel/timeline.ts';
import { startLater, stop } from './node.ts';
import type { Node, World } from './world.ts';

/** How long members starve, in P. */
const lasts = [3, 12] as const;
/** How long a member stops at once, in P. */
const stall = [0.25, 2] as const;
/** The share of the time for which a member stops. */
const share = [0.3, 0.7] as const;
/**
 * After this number of P with enough processor time every partition must be led. Voters also find out
 * that a deaf member does not lead, one after the other.
 */
const quietThresholds = { dead: 6, deaf: 12 };

/** A shortage of processor time. */
interface Shortage {
  readonly until: number;
  readonly share: number;
}

/** Lets members starve, while another one is dead, or receives nothing. */
export function starve(world: World, out: Node): void {
  const { random, now, nodes, scenario } = world;
  const lastsMs = between(random, ...lasts) * scenario.leaseMs;
  const shortage = { until: now + lastsMs, share: between(random, ...share) };
  const kind = happens(random, 0.5) ? 'dead' : 'deaf';
  const judgedMs = lastsMs + quietThresholds[kind] * scenario.leaseMs;
  if (kind === 'dead') stop(world, out);
  else cutLinks(world, judgedMs, (from, to) => from !== out && to === out);
  for (const node of nodes) if (node.alive && node !== out) stopAgain(world, shortage, node);
  schedule(world, judgedMs, judgeQuiet, out);
}

/** Stops a member for a while, and later again. */
function stopAgain(world: World, shortage: Shortage, node: Node): void {
  const { random, now, scenario } = world;
  if (now >= shortage.until) return;
  const stopsMs = between(random, ...stall) * scenario.leaseMs;
  const runsMs = (between(random, 0, 2) * stopsMs * (1 - shortage.share)) / shortage.share;
  node.pausedUntil = Math.min(now + stopsMs, shortage.until);
  trouble(world, node);
  scheduleFor(world, node, stopsMs + runsMs, stopAgain, shortage);
}

/** Every partition was led in the last P. A dead member starts again. */
function judgeQuiet(world: World, out: Node): void {
  const { scenario, now } = world;
  for (let partition = 0; partition < scenario.partitions; partition += 1)
    judgeLed(world, out, partition, now - scenario.leaseMs);
  if (!out.alive) startLater(world, out, 0);
}
