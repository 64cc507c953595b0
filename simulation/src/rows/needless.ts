// Counts what a calm world needs not: leases that expire though nothing failed, and moves of partitions
// that L9 does not justify.
import type { RowChange } from '@leadership/core/internal/sessions';
import type { Node, OwnerRecord, World } from './world.ts';

/** How long members know the others, so that they agree who is preferred. In T. */
const knownThresholds = 3;
/** A partition that moved stays for 2 T (L9): the rest is for the time of its record on the way. */
const stayThresholds = 1.9;

/** Counts a term that a member lost because its lease expired. */
export function noteExpired({ judge }: World): void {
  judge.renewalGaps += 1;
}

/** Notes the claims of a member while a better one could claim all the time. */
export function noteClaims(world: World, node: Node, changes: readonly RowChange[]): void {
  for (const { name, text } of changes) {
    const [, partition] = /^partition#(\d+)$/.exec(name) ?? [];
    if (partition === undefined || text?.startsWith('{"kind":"hold"') !== true) continue;
    const isEarly = isOutOfTurn(world, node, Number(partition));
    if (isEarly) node.outOfTurn.add(Number(partition));
    else node.outOfTurn.delete(Number(partition));
  }
}

/** Counts a term that began by such a claim: the partition may have to move again. */
export function noteTerm({ judge }: World, { outOfTurn }: Node, partition: number): void {
  if (outOfTurn.delete(partition)) judge.needlessMoves += 1;
}

function isOutOfTurn(world: World, node: Node, partition: number): boolean {
  const preferred = node.state.balance.at(partition, 0);
  const better = world.nodes.find(({ incarnation }) => incarnation === preferred);
  if (better === undefined || better === node) return false;
  // Both agree, though each may have read something that the other has not.
  if (better.state.balance.at(partition, 0) !== preferred) return false;
  const longAgo = world.now - knownThresholds * world.scenario.thresholdMs;
  const isKnown = [node, better].every(({ startedAt }) => startedAt <= longAgo);
  const abstains = (better.state.partitions[partition]?.abstainUntil ?? 0) > better.clock.now();
  return isKnown && better.alive && better.state.phase === 'running' && !abstains;
}

/** Counts a partition that another member requested and received too soon after it had moved. */
export function noteHandOver(world: World, partition: number, before: OwnerRecord): void {
  const owner = world.nodes.find(({ state }) => state?.own?.row.id === before.session);
  if (owner === undefined || owner.state.phase !== 'running') return;
  if (owner.state.partitions[partition]?.isResigned === true) return;
  const { thresholdMs, driftRate } = world.scenario;
  if (world.now - before.since < (stayThresholds * thresholdMs) / (1 + driftRate))
    world.judge.needlessMoves += 1;
}
