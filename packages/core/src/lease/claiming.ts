// When a partition is free, and who claims it first.

import { after, type Instant, latest, longAgo, never } from '../time/instant.ts';
import { type Batch, waitForRoom } from './batch.ts';
import { doubtOf } from './doubt.ts';
import { claimedToken, hasReadFloor, tokenAfter } from './floor.ts';
import { hasRoom, noteClaim, waitForLimit } from './limit.ts';
import { isAlive, lapseOf } from './owners.ts';
import { rankOf } from './placement.ts';
import { longestPollMs } from './polls.ts';
import { following, ownershipText, partitionName } from './records.ts';
import { mayOpen, open } from './session.ts';
import {
  isOfThisProcess,
  type MemberState,
  nextId,
  type Partition,
  type Session,
  type Shown,
} from './state.ts';

/** The number of partitions that a member asks for at once. */
const wantsMax = 64;

/** Whether this member claims the partition when it is free. */
function isStanding(state: MemberState, { isCandidate, who }: Partition): boolean {
  const { pin, phase, own } = state;
  return (
    isCandidate &&
    who !== 'nobody' &&
    pin === 'agrees' &&
    phase === 'running' &&
    own?.isEnding !== true
  );
}

/** Claims a partition that is free, or asks its owner for it. Returns when to look again. */
export function claim(state: MemberState, partition: Partition, batch: Batch): Instant {
  const { owner, who, index } = partition;
  state.overLimit.delete(index);
  const rank = who === 'self' ? 0 : rankOf(state, partition);
  const mayClaim = isStanding(state, partition) && rank >= 0;
  // A living owner is watched once, at its session, and not at each of its partitions.
  const isElsewhere = isAlive(owner) && !isOfThisProcess(state, owner);
  if (mayClaim && isElsewhere && claimShown(state, partition, batch)) return never;
  if (mayClaim && isElsewhere && rank === 0) return want(state, partition);
  return claimFree(state, partition, mayClaim && !isElsewhere ? rank : -1, batch);
}

/** Claims a partition if it is free; not with a rank of -1. Returns when to look again. */
function claimFree(state: MemberState, partition: Partition, rank: number, batch: Batch): Instant {
  const { index, owner } = partition;
  state.wants.delete(index);
  state.standIns.delete(index);
  if (rank < 0) return never;
  const at = latest(
    claimableAt(state, partition, rank),
    doubtOf(state, partition),
    partition.retryAt,
    partition.silentUntil,
    partition.abstainUntil,
    rank > 0 ? after(partition.placedAt, longestPollMs(state)) : longAgo,
  );
  if (state.now < at) return claimLater(state, index, rank, at);
  if (isToBeDeposed(state, owner) || !mayOpen(state)) return never;
  if (!hasRoom(state, index)) return waitForLimit(state, index);
  if (batch.isFull) return waitForRoom(state, partition);
  writeClaim(state, partition, batch);
  return never;
}

/**
 * Claims a partition whose release was shown and is not read yet. The claim takes effect only if the
 * store holds that very text, in the history that this member knows (M5, M7). Returns whether it is sent.
 */
function claimShown(state: MemberState, partition: Partition, batch: Batch): boolean {
  const { shown, owner, who, seenToken, retryAt, silentUntil, abstainUntil } = partition;
  const { rules, wallMicros, floor, now } = state;
  partition.shown = undefined;
  if (shown === undefined || batch.isFull || floor.isFailing) return false;
  const at = latest(doubtOf(state, partition), retryAt, silentUntil, abstainUntil);
  const isFirst = who === 'self' || rankOf(state, partition, owner?.incarnation) === 0;
  if (!isFirst || now < at || !rules.leavesRoom(shown.token, wallMicros)) return false;
  if (!hasRoom(state, partition.index) || !mayOpen(state)) return false;
  const seen = shown.token > seenToken ? shown.token : seenToken;
  addClaim(state, partition, shown, tokenAfter(state, partition, seen), batch);
  return true;
}

/** Returns when to claim. A stand-in looks at the partition again when ranks change. */
function claimLater({ standIns }: MemberState, index: number, rank: number, at: Instant): Instant {
  if (rank > 0) standIns.set(index, rank);
  return at;
}

/** Whether the session of the owner is deposed first: that change of the session comes here again. */
function isToBeDeposed(state: MemberState, owner: Session | undefined): boolean {
  if (owner === undefined || owner.state === 'dead' || isOfThisProcess(state, owner)) return false;
  return state.rules.awaitsDeposition();
}

function writeClaim(state: MemberState, partition: Partition, batch: Batch): void {
  const { record, text } = partition;
  if (record === undefined || !hasReadFloor(state, partition)) return;
  const token = claimedToken(state, partition);
  if (token === undefined) return;
  const { life, version } = record;
  const isLost = record.kind === 'release' && record.isLost === true;
  addClaim(state, partition, { text, life, version, isLost }, token, batch);
}

function addClaim(
  state: MemberState,
  partition: Partition,
  before: Pick<Shown, 'life' | 'version' | 'isLost'> & { readonly text: string | null },
  token: bigint,
  batch: Batch,
): void {
  const { index } = partition;
  const own = state.own ?? open(state);
  const id = nextId(state);
  const claimed = {
    kind: 'hold',
    ...following(before, id),
    session: own.row.id,
    // The renewal in the same exchange; an opening is version 0.
    seen: own.isValid ? own.row.version + 1 : 0,
    token,
    ...(before.isLost && { isLost: true }),
  } as const;
  const held = ownershipText(index, claimed, id);
  batch.add(
    { name: partitionName(index), expected: before.text, text: held, isAnnounced: true },
    partition,
  );
  noteClaim(state, index);
}

/** Returns when a member of that rank may claim the partition by the record in effect (M5). */
function claimableAt(state: MemberState, partition: Partition, rank: number): Instant {
  const { owner, arrivedAt } = partition;
  if (owner === undefined) return ownerlessAt(state, partition, rank);
  if (isOfThisProcess(state, owner))
    return state.rules.isOwnOver(owner === state.own?.row) ? arrivedAt : never;
  const isShared = owner.state === 'dead' ? isSpread(state) : owner.owns.size > 1;
  return later(state, freeAt(state, owner, partition), rank, isShared ? longestPollMs(state) : 0);
}

/**
 * Whether a stand-in waits for the preferred member to learn that an owner is dead. Not for the only partition
 * of a group, which any member may lead, where members only poll: the preferred one may poll much later.
 * Members that are notified learn of it at once, and would all claim it.
 */
function isSpread({ partitions, config }: MemberState): boolean {
  return partitions.length > 1 || config.isSilent !== true;
}

function ownerlessAt(
  state: MemberState,
  { record, arrivedAt, index, who }: Partition,
  rank: number,
): Instant {
  const { rules, config } = state;
  if (record === undefined) return never;
  if (record.kind !== 'none') return later(state, arrivedAt, rank, longestPollMs(state));
  const emptyMs = rules.emptyMs(config.thresholdMsMax);
  const at = rules.waitsUntil(arrivedAt, emptyMs, config.driftRate);
  const firstMs = who === 'self' ? 0 : rules.firstClaimMs(index, config.thresholdMs);
  // A preferred member that started later waits longer: it gets the partition by a hand-over.
  return later(state, after(at, firstMs), rank, longestPollMs(state));
}

/** Returns when what the session owns is free. */
function freeAt(state: MemberState, owner: Session, { arrivedAt }: Partition): Instant {
  const { rules, config } = state;
  if (owner.state !== 'dead') return lapseOf(state, owner);
  const at = latest(arrivedAt, owner.arrivedAt);
  if (!owner.isProved) return at;
  // Work that kills its process would kill one member after the other (M10).
  const oldAt = rules.waitsUntil(arrivedAt, rules.youngMs(owner.thresholdMs), config.driftRate);
  return latest(at, oldAt);
}

/** Returns when a member of that rank claims, if the preferred one does at that instant. */
function later(
  { config, rules }: MemberState,
  at: Instant,
  rank: number,
  extraMs: number,
): Instant {
  const { thresholdMs, jitter } = config;
  return rank === 0 ? at : after(at, rules.standInMs(rank, thresholdMs, extraMs, jitter));
}

/** Asks for a partition, once it has stayed for a while where it is. Returns when. */
function want(state: MemberState, partition: Partition): Instant {
  const { wants, wantsNext, own, config, rules, now } = state;
  const { index, abstainUntil, movedAt } = partition;
  if (wants.has(index)) return never;
  const settledAt = after(movedAt, rules.settleMs(config.thresholdMs));
  const at = latest(abstainUntil, settledAt, doubtOf(state, partition));
  if (now < at) return at;
  if (!hasRoom(state, index)) return waitForLimit(state, index);
  if (wants.size >= wantsMax) {
    wantsNext.add(index);
    return never;
  }
  wantsNext.delete(index);
  wants.add(index);
  if (own) own.isAwaited = true;
  state.isSoon = true;
  return never;
}

/**
 * Puts the next partitions to ask for into `todo`, when half of those before have come. Returns whether
 * there were any.
 */
export function refillWants({ wants, wantsNext, todo }: MemberState): boolean {
  if (wantsNext.size === 0 || wants.size > wantsMax / 2) return false;
  for (const index of wantsNext) todo.add(index);
  wantsNext.clear();
  return true;
}
