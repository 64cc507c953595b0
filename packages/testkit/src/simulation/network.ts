import type { LedgerRecord, Want } from '@leadership/core/ledger';
import { push, type Queue } from './queue.ts';
import { between, happens, type Random } from './random.ts';
import type { Network } from './scenario.ts';
import type { Node, World } from './world.ts';

/** What decides how long things take, in whichever world. */
interface Weather {
  readonly scenario: { readonly network: Network };
  readonly random: Random;
}

/** How long one message takes. */
export function delayMs({ scenario, random }: Weather): number {
  const { delayMs: usual, lateShare, lateMsMax } = scenario.network;
  const share = random.next();
  if (share < lateShare) return random.next() * lateMsMax;
  return usual[0] + ((share - lateShare) / (1 - lateShare)) * (usual[1] - usual[0]);
}

/** Something for a node happens after `ms`. */
export function soon<Happening>(world: { readonly queue: Queue<Happening>; readonly now: number }, ms: number, happening: Happening): void {
  push(world.queue, world.now + ms, happening);
}

/** A write goes out: it may be lost, be there twice, land late, and its answer may never be heard (L4). */
export function send(world: World, { index, life, writesCutUntil, self }: Node, lane: number, record: LedgerRecord): void {
  const { random, scenario, now } = world;
  const { lossShare, duplicateShare } = scenario.network;
  const cutMs = Math.max(0, writesCutUntil - now);
  const isLost = happens(random, cutMs > 0 ? lostInCut : lossShare);
  const thereMs = cutMs + delayMs(world);
  const backMs = delayMs(world);
  const timeoutMs = self.thresholdMs / 3;
  const isAnswered = !isLost && thereMs + backMs < timeoutMs && !happens(random, lossShare);
  if (!isLost) soon(world, thereMs, { kind: 'landed', node: index, life, lane, cargo: { record, answerMs: isAnswered ? backMs : -1 } });
  if (happens(random, duplicateShare)) {
    soon(world, cutMs + delayMs(world), { kind: 'landed', node: index, life, lane, cargo: { record, answerMs: -1 } });
  }
  if (isAnswered) return;
  soon(world, timeoutMs, { kind: 'answered', node: index, life, lane, cargo: { kind: 'written', record, outcome: 'unknown' } });
}

/** Of what is sent while cut off, this share is lost; the rest lands once the cut is over. */
const lostInCut = 0.5;

/** A want goes to everyone else, and comes late, twice or never (L7). */
export function ask(world: World, sender: Node, lane: number, want: Want): void {
  const { lossShare, duplicateShare } = world.scenario.network;
  for (const node of world.nodes) {
    if (node === sender || !node.alive || want.partition >= node.self.partitions || happens(world.random, lossShare)) continue;
    const copies = happens(world.random, duplicateShare) ? 2 : 1;
    for (let copy = 0; copy < copies; copy += 1) {
      const cutMs = Math.max(0, sender.writesCutUntil - world.now);
      soon(world, cutMs + delayMs(world), { kind: 'wanted', node: node.index, life: node.life, lane, cargo: want });
    }
  }
}

/** Anything from 0 to twice `meanMs`. */
export function about({ random }: Pick<Weather, 'random'>, meanMs: number): number {
  return between(random, 0, 2 * meanMs);
}
