// The invariants of Nerio, and its liveness counters.
import { compareEdicts, type EdictStamp } from '@leadership/nerio/internal/protocol';
import type { TermEnd } from '../kernel/host.ts';
import {
  doubled,
  judgeToken,
  judgeWork,
  newCommonJudge,
  newRecord,
  noteLeading,
  previousLeader,
  recordOf,
  termOf,
  violation,
} from '../kernel/judge.ts';
import { noteEnded } from '../kernel/led-time.ts';
import { there } from '../kernel/random.ts';
import type { HostedPartition } from '../kernel/world.ts';
import type { NerioJudge, Node, World } from './world.ts';

export function newNerioJudge(partitions: number): NerioJudge {
  const records = Array.from({ length: partitions }, () => ({
    ...newRecord(),
    terms: 0,
    releasedAt: undefined,
    edicts: [],
  }));
  const sharing = { sharingMoves: 0, looks: 0, unevenLooks: 0 };
  const others = { handovers: 0, slowHandovers: 0, edicts: 0, vainMs: 0 };
  return { ...newCommonJudge(), ...sharing, ...others, records };
}

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
    noteTerm(world, node, partition);
  }
  noteLeading(world, node, partition, until);
}

const handoverDelays = 2.1;

/** Counts unjustified changes of leader, and slow hand-overs. */
function noteTerm(world: World, node: Node, partition: number): void {
  const { judge, now, scenario } = world;
  const record = recordOf(world, partition);
  const before = previousLeader(world, partition);
  const isWell =
    before !== undefined && now > before.troubledUntil && !termOf(before, partition).givenUp;
  if (before !== node && isWell) judge.needlessMoves += 1;
  if (record.releasedAt !== undefined) {
    judge.handovers += 1;
    // A release, a grant, and half a round trip for a member that received no release in time.
    if (now - record.releasedAt > handoverDelays * scenario.network.delayMs[1])
      judge.slowHandovers += 1;
  }
  record.releasedAt = undefined;
  record.leader = node.incarnation;
  record.terms += 1;
}

/** Notes the end of a term. */
export function noteEnd(
  world: World,
  _node: Node,
  { partition }: HostedPartition,
  { wasLeading, loss }: TermEnd,
): void {
  if (!wasLeading) return;
  const record = recordOf(world, partition);
  noteEnded(record, world.now);
  if (loss === 'released') record.releasedAt = world.now;
}

/** Counts a lease that expired although no fault affected its holder. */
export function noteGap({ judge, now }: World, node: Node): void {
  if (now > node.troubledUntil) judge.renewalGaps += 1;
}

/** Counts a term that ends in favor of a member with fewer partitions. */
export function noteShared({ judge }: World, node: Node, partition: number): void {
  const { leaseState } = there(node.state.claims[partition]);
  const term = termOf(node, partition);
  if (term.givenUp || leaseState.kind !== 'revoking' || leaseState.successor < 0) return;
  term.givenUp = true;
  judge.sharingMoves += 1;
}

/** Adds up the time of unsuccessful campaigns. */
export function noteContest({ judge, now }: World, node: Node, partition: number): void {
  const { leaseState, round } = there(node.state.claims[partition]);
  const since = node.contendsSince[partition];
  const isContending = round !== undefined && leaseState.kind === 'follower';
  node.contendsSince[partition] = isContending ? (since ?? now) : undefined;
  if (!isContending && since !== undefined && leaseState.kind === 'follower')
    judge.vainMs += now - since;
}

/** Checks a new edict: its creator must lead, and it must be ordered after all earlier edicts. */
export function judgeEdict(world: World, node: Node, stamp: EdictStamp): void {
  const { partition } = stamp;
  const { edicts } = recordOf(world, partition);
  world.judge.edicts += 1;
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
export function judgeSpread({ judge, nodes, now, epoch }: World): void {
  const well = nodes.filter(({ alive, campaigning, troubledUntil, self }) => {
    const isMember = epoch.members.some(
      ({ member, stands }) => member === self.member && stands !== false,
    );
    return alive && campaigning && now > troubledUntil && isMember;
  });
  const counts = well.map(
    (node) => node.state.claims.filter(({ leaseState }) => leaseState.kind !== 'follower').length,
  );
  judge.looks += 1;
  if (counts.length > 0 && Math.max(...counts) > Math.min(...counts) + 1) judge.unevenLooks += 1;
}
