// Checks the invariant that Nerio rests on (N2): a leader has a quorum of grants that outlast its
// belief. The check runs whenever a belief grows, a grant changes or a clock changes. The invariant
// cannot break in between.
import type { Grant } from '@leadership/nerio/internal/protocol';
import { type Real, wallStartMs } from '../kernel/clock.ts';
import { violation } from '../kernel/judge.ts';
import { defined } from '../kernel/random.ts';
import { memberNode, type Node, type World } from './world.ts';

/** Tolerance for rounding in clock arithmetic. Milliseconds. */
const roundingMs = 0.01;

/** Checks the invariant for all leaders of the partition. */
export function judgeQuorum(world: World, partition: number): void {
  for (const node of world.nodes) if (node.alive) judgeLeader(world, node, partition);
}

function judgeLeader(world: World, node: Node, partition: number): void {
  const { leaseState } = defined(node.state.claims[partition]);
  if (leaseState.kind === 'follower') return;
  const until = leaseRealAt(world, node, leaseState.until);
  if (until <= world.now) return;
  const { electorate } = node.state;
  let granting = 0;
  for (let index = 0; index < electorate.names.length; index += 1) {
    const voter = memberNode(world, defined(electorate.names[index]));
    if (grantsUntil(world, voter, node, partition) >= until - roundingMs) granting |= 1 << index;
  }
  if (!electorate.quorums.holds(granting))
    violation(world, 'N2', node, partition, 'believes beyond the grants of any quorum');
}

/**
 * Returns the real instant at which the voter's grant to the leader's incarnation ends, including
 * grants that the voter has forgotten.
 */
function grantsUntil(world: World, voter: Node, leader: Node, partition: number): number {
  const { number } = leader.state.electorate;
  const { incarnation } = leader;
  const grant =
    voter.alive && voter.state.electorate.number === number
      ? voter.state.grants[partition]
      : undefined;
  if (grant?.holder !== undefined)
    return grant.holder.incarnation === incarnation ? leaseRealAt(world, voter, grant.until) : 0;
  const earlier = voter.earlierGrants[partition];
  return earlier?.incarnation === incarnation && earlier.epoch === number ? earlier.until : 0;
}

/** Returns the real instant at which the lease clock of a node reads `at`. */
export function leaseRealAt({ scenario }: World, { clock }: Node, at: number): Real {
  return scenario.clocks === 'drift' ? clock.realAt(at) : at - wallStartMs - clock.wallOffsetMs;
}

/** Checks that a voter does not grant a round again whose release it has received (N5). */
export function judgeReleased(world: World, voter: Node, partition: number, grant: Grant): void {
  const { holder, start } = grant;
  if (holder === undefined) return;
  const released = voter.released[partition]?.get(holder.incarnation);
  if (
    released === undefined ||
    start.at > released.at ||
    (start.at === released.at && start.count > released.count)
  )
    return;
  violation(
    world,
    'N5',
    voter,
    partition,
    `grants a round that ${holder.incarnation} has given back`,
  );
}
