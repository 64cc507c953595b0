// Members without enough processor time: all of them stop again and again for a while, as on a machine
// with too many processes, while one of them is dead. Then there is time enough, and somebody must lead.
import { judgeLed } from '../kernel/judge.ts';
import { trouble } from '../kernel/links.ts';
import { between } from '../kernel/random.ts';
import { schedule, scheduleFor } from '../kernel/timeline.ts';
import { startLater, stop } from './node.ts';
import type { Node, World } from './world.ts';

/** How long members starve, in P. */
const lasts = [3, 12] as const;
/** How long a member stops at once, in P. */
const stall = [0.25, 2] as const;
/** The share of the time for which a member stops. */
const share = [0.3, 0.7] as const;
/** After this number of P with enough processor time every partition must be led. */
const quietThresholds = 16;

/** A shortage of processor time. */
interface Shortage {
  readonly until: number;
  readonly share: number;
}

/** Kills a member, and lets the others starve. */
export function starve(world: World, dead: Node): void {
  const { random, now, nodes, scenario } = world;
  const lastsMs = between(random, ...lasts) * scenario.leaseMs;
  const shortage = { until: now + lastsMs, share: between(random, ...share) };
  stop(world, dead);
  for (const node of nodes) if (node.alive) stopAgain(world, shortage, node);
  schedule(world, lastsMs + quietThresholds * scenario.leaseMs, judgeQuiet, dead);
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

/** Every partition was led in the last P. The dead member starts again. */
function judgeQuiet(world: World, dead: Node): void {
  const { scenario, now } = world;
  for (let partition = 0; partition < scenario.partitions; partition += 1)
    judgeLed(world, dead, partition, now - scenario.leaseMs);
  startLater(world, dead, 0);
}
