import type { LeaseRequest, LedgerRecord } from '@leadership/core/adapter';
import { happens } from '../kernel/random.ts';
import { soon } from '../kernel/timeline.ts';
import { delayMs } from '../kernel/weather.ts';
import type { Node, World } from './world.ts';

/**
 * Sends a write. The network may lose, duplicate or delay the write, and may lose its answer (L4).
 */
export function send(world: World, node: Node, lane: number, record: LedgerRecord): void {
  if (node.writesDeniedUntil > world.now) return deny(world, node, lane, record);
  const { index, life, writesCutUntil, self } = node;
  const { random, scenario, now } = world;
  const { lossShare, duplicateShare } = scenario.network;
  const cutMs = Math.max(0, writesCutUntil - now);
  const isLost = happens(random, cutMs > 0 ? lostInCut : lossShare);
  const thereMs = cutMs + delayMs(world);
  const backMs = delayMs(world);
  const timeoutMs = self.thresholdMs / 3;
  const isAnswered = !isLost && thereMs + backMs < timeoutMs && !happens(random, lossShare);
  if (!isLost)
    soon(world, thereMs, {
      kind: 'landed',
      node: index,
      life,
      lane,
      cargo: { record, answerMs: isAnswered ? backMs : -1 },
    });
  if (happens(random, duplicateShare)) {
    soon(world, cutMs + delayMs(world), {
      kind: 'landed',
      node: index,
      life,
      lane,
      cargo: { record, answerMs: -1 },
    });
  }
  if (isAnswered) return;
  soon(world, timeoutMs, {
    kind: 'answered',
    node: index,
    life,
    lane,
    cargo: { kind: 'written', record, outcome: 'unknown' },
  });
}

/**
 * Denies a write. The writer gets the outcome `unknown`, because a denial is not an answer to the
 * write.
 */
function deny(world: World, { index: node, life }: Node, lane: number, record: LedgerRecord): void {
  soon(world, delayMs(world), {
    kind: 'answered',
    node,
    life,
    lane,
    cargo: { kind: 'written', record, outcome: 'unknown' },
  });
}

/** Share of the writes during a cut that is lost. The rest lands after the cut. */
const lostInCut = 0.5;

/** Sends a lease request to all other nodes. Requests may arrive late, twice or never (L7). */
export function ask(world: World, sender: Node, lane: number, want: LeaseRequest): void {
  const { lossShare, duplicateShare } = world.scenario.network;
  for (const node of world.nodes) {
    if (
      node === sender ||
      !node.alive ||
      want.partition >= node.self.partitions ||
      happens(world.random, lossShare)
    )
      continue;
    const copies = happens(world.random, duplicateShare) ? 2 : 1;
    for (let copy = 0; copy < copies; copy += 1) {
      const cutMs = Math.max(0, sender.writesCutUntil - world.now);
      soon(world, cutMs + delayMs(world), {
        kind: 'wanted',
        node: node.index,
        life: node.life,
        lane,
        cargo: want,
      });
    }
  }
}
