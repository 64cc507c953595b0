// The second place of the greatest token, for a store that has one (T1): it outlives the rows.
import { after, type Instant, never } from '../time/instant.ts';
import { limitShare, refusedShare } from './pauses.ts';
import type { MemberState, Partition } from './state.ts';
import { mended, trouble } from './trouble.ts';
import type { Input } from './types.ts';

/** Returns whether the second place was read since the partition held nothing; if not, asks for it. */
export function hasReadFloor({ floor, config, rules }: MemberState, partition: Partition): boolean {
  const isEmpty = partition.record?.kind === 'none';
  if (config.hasFloor !== true || !isEmpty) return true;
  if (rules.hasReadSince(floor.readAt, partition.arrivedAt)) {
    // A row that holds nothing may have been lost: its tokens are at most the one of the second place.
    if (floor.readToken > partition.seenToken) partition.seenToken = floor.readToken;
    return true;
  }
  floor.isAsked = true;
  floor.waiting.add(partition.index);
  return false;
}

/**
 * Returns the token of a claim. The second place gets it meanwhile, because the term begins only after
 * both. A member whose calls fail leaves the partition to others, until the second place has the token.
 */
export function claimedToken(state: MemberState, partition: Partition): bigint | undefined {
  if (state.floor.isFailing) return coveredToken(state, partition, state.rules.token);
  partition.plannedToken = 0n;
  return tokenAfter(state, partition, partition.seenToken);
}

/** Returns the next token after `seen`, and asks for it in the second place. */
export function tokenAfter(state: MemberState, partition: Partition, seen: bigint): bigint {
  const token = state.rules.token(seen, state.wallMicros);
  isCovered(state, partition, token);
  return token;
}

/**
 * Returns the token of a new term, once the second place has it; if not, asks for that. Until then the
 * token stays the same, or no answer would ever be enough for it.
 */
export function coveredToken(
  state: MemberState,
  partition: Partition,
  next: (seen: bigint, wallMicros: number) => bigint,
): bigint | undefined {
  const { seenToken, plannedToken } = partition;
  const token = plannedToken > seenToken ? plannedToken : next(seenToken, state.wallMicros);
  const isReady = isCovered(state, partition, token);
  partition.plannedToken = isReady ? 0n : token;
  return isReady ? token : undefined;
}

/** Returns whether the second place has the token, or the store has none; if not, asks for that. */
export function isCovered(
  { floor, config, rules }: MemberState,
  { index }: Partition,
  token: bigint,
): boolean {
  if (config.hasFloor !== true || rules.isCovered(token, floor.token)) return true;
  if (token > floor.wanted) floor.wanted = token;
  floor.waiting.add(index);
  return false;
}

/** Reads or raises the second place, if something waits for it and no other call is on its way. */
export function askFloor(state: MemberState): void {
  const { floor, now, config } = state;
  const isRaised = floor.wanted > floor.token;
  if (!(floor.isAsked || isRaised) || floor.flight !== undefined || now < floor.retryAt) return;
  state.exchanges += 1;
  const id = state.exchanges;
  const raise = floor.isAsked ? undefined : floor.wanted;
  floor.isAsked = false;
  floor.flight = { id, raise, askedAt: now };
  state.outputs.push({
    kind: 'floor',
    id,
    limitMs: limitShare * config.thresholdMs,
    ...(raise !== undefined && { raise }),
  });
}

/** Returns when the next call is due. While one is on its way, its answer is the next wake. */
export function floorAt({ floor, now }: MemberState): Instant {
  const isWaiting = floor.isAsked || floor.wanted > floor.token;
  return isWaiting && floor.flight === undefined && now < floor.retryAt ? floor.retryAt : never;
}

/** Takes the token that the second place has now. */
export function floorAnswered(
  state: MemberState,
  { id, token }: Input & { readonly kind: 'floor' },
): void {
  const { floor, rules, wallMicros, todo } = state;
  const { flight } = floor;
  if (flight?.id !== id) return;
  floor.flight = undefined;
  floor.isFailing = false;
  mended(state, 'floor');
  // One that leaves no room for later tokens does not count.
  if (token > floor.token && rules.leavesRoom(token, wallMicros)) floor.token = token;
  if (flight.raise === undefined) {
    floor.readAt = flight.askedAt;
    floor.readToken = floor.token;
  }
  for (const index of floor.waiting) todo.add(index);
  floor.waiting.clear();
}

/** Takes the failure of a call. Returns whether it was one. */
export function floorFailed(
  state: MemberState,
  { id, code, message }: Input & { readonly kind: 'failed' },
): boolean {
  const { floor, now, config } = state;
  if (floor.flight?.id !== id) return false;
  if (floor.flight.raise === undefined) floor.isAsked = true;
  floor.flight = undefined;
  floor.isFailing = true;
  floor.retryAt = after(now, refusedShare * config.thresholdMs);
  for (const index of floor.waiting) state.todo.add(index);
  trouble(state, 'floor', { code, message });
  return true;
}
