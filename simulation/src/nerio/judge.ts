// Checks at each event of a world of Nerio that no rule is broken, and counts what its limits
// bound.
import { compareEdicts, type EdictStamp } from '@leadership/nerio/internal/protocol';
import {
  doubled,
  judgeToken,
  judgeWork,
  noteLeading,
  noteShared,
  noteSpread,
  noteTerm,
  termOf,
  violation,
} from '../kernel/judge.ts';
import { defined } from '../kernel/random.ts';
import type { HostedPartition } from '../kernel/world.ts';
import type { Node, World } from './world.ts';

/** Checks every invariant that a proof of leadership can break. */
export function judgeProof(
  world: World,
  node: Node,
  { partition, term, until }: HostedPartition,
  isNew: boolean,
): void {
  for (const other of world.nodes)
    if (other !== node && other.hosted[partition]?.leads()) doubled(world, node, partition, other);
  const { number } = node.state.electorate;
  const running = world.epoch.number;
  if (number < running)
    violation(world, 'N13', node, partition, `leads in epoch ${number} while ${running} runs`);
  if (isNew) {
    judgeToken(world, node, partition, term.token, 'N16');
    judgeWork(world, node, partition);
    noteTerm(world, node, partition, handoverDelays * world.network.delayMs[1]);
  }
  noteLeading(world, node, partition, until);
}

/**
 * The longest delays of a hand-over: a release, a grant, and half a round trip for a member that
 * received no release in time.
 */
const handoverDelays = 2.1;

/** Notes a term that drains: whether it ends in favor of a member with fewer partitions. */
export function noteDrain(world: World, node: Node, partition: number): void {
  const { leaseState } = defined(node.state.claims[partition]);
  if (termOf(node, partition).givenUp) return;
  if (leaseState.kind === 'revoking' && leaseState.successor >= 0)
    noteShared(world, node, partition);
}

/** Adds up the time of failed campaigns. */
export function noteElection({ tally, now }: World, node: Node, partition: number): void {
  const { leaseState, round } = defined(node.state.claims[partition]);
  const since = node.contendsSince[partition];
  const isContending = round !== undefined && leaseState.kind === 'follower';
  node.contendsSince[partition] = isContending ? (since ?? now) : undefined;
  if (!isContending && since !== undefined && leaseState.kind === 'follower')
    tally.failedCampaignMs += now - since;
}

/** Checks a new edict: its creator must lead, and it must be ordered after all earlier edicts. */
export function judgeEdict(world: World, node: Node, stamp: EdictStamp): void {
  const { partition } = stamp;
  const edicts = defined(world.edicts[partition]);
  world.tally.edicts += 1;
  if (!node.hosted[partition]?.leads())
    violation(world, 'N8', node, partition, 'creates an edict without leading');
  for (const before of edicts) {
    const order = compareEdicts(before, stamp, node.rules.precedes);
    if (order !== 'before')
      violation(world, 'N8', node, partition, `an earlier edict is ${order} a later one`);
  }
  edicts.push(stamp);
  if (edicts.length > edictsKept) edicts.shift();
}

/** Number of previous edicts that each edict is compared with. */
const edictsKept = 12;

/** Checks whether the partitions are distributed evenly over the healthy members. */
export function judgeSpread(world: World): void {
  const { nodes, now, epoch } = world;
  const well = nodes.filter(({ alive, campaigning, troubledUntil, self }) => {
    const isMember = epoch.members.some(
      ({ member, stands }) => member === self.member && stands !== false,
    );
    return alive && campaigning && now > troubledUntil && isMember;
  });
  const counts = well.map(
    (node) => node.state.claims.filter(({ leaseState }) => leaseState.kind !== 'follower').length,
  );
  noteSpread(world, counts);
}
