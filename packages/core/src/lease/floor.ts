// The second place of the greatest token, for a store that has one (T1): it outlives the rows.
import { after, type Instant, never } from '../time/instant.ts';
import { limitShare, refusedShare } from './pauses.ts';
import type { MemberState, Partition } from './state.ts';
import { mended, trouble } from './trouble.ts';
import type { Input } from './types.ts';

/** Returns whether the second place was read since the partition held nothing; if not, asks for it. */
export function hasReadFloor({ floor, config, rules }: MemberState, partition: Partition): boolean {
  const isEmpty = partition.record?.kind === 'none';
  if (config.floorAheadMs === undefined || !isEmpty) return true;
  if (rules.hasReadSince(floor.readAt, partition.arrivedAt)) {
    // A row that holds nothing may have been lost: its tokens are at most the one of the second place.
    if (floor.readToken > partition.seenToken) partition.seenToken = floor.readToken;
    return true;
  }
  floor.isAsked = true;
  floor.waiting.add(partition.index);
  return false;
}

/** Returns whether the second place has the token of a new term, or one above it. */
export function isCovered({ floor, config, rules }: MemberState, token: bigint): boolean {
  return config.floorAheadMs === undefined || rules.isCovered(token, floor.token);
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
  const { seenToken, plannedToken, index } = partition;
  const token = plannedToken > seenToken ? plannedToken : next(seenToken, state.wallMicros);
  const isReady = isCovered(state, token);
  partition.plannedToken = isReady ? 0n : token;
  if (isReady) return token;
  if (token > state.floor.wanted) raiseBeyond(state, token);
  state.floor.waiting.add(index);
  return undefined;
}

/** Wants the second place to have a token, and those of the claims that follow. */
function raiseBeyond({ floor, config, rules, wallMicros }: MemberState, token: bigint): void {
  const ahead = token + aheadMicros(config);
  // A token without room for later ones would not count there, and no claim would follow.
  floor.wanted = rules.leavesRoom(ahead, wallMicros) ? ahead : token;
}

/** Microseconds, as tokens are. */
function aheadMicros({ floorAheadMs = 0 }: MemberState['config']): bigint {
  return BigInt(Math.floor(floorAheadMs * 1000));
}

/**
 * Keeps the second place ahead of the wall clock while this member may claim something. It is read before
 * it is raised: another member may have done so. Not while a partition holds nothing: its first token
 * exceeds all that the place has.
 */
function keepAhead(state: MemberState): void {
  const { floor, config, now, wallMicros, candidacies, phase, pin, hasRead } = state;
  const ahead = aheadMicros(config);
  if (ahead === 0n || floor.flight !== undefined || floor.waiting.size > 0) return;
  if (candidacies === 0 || !hasRead || phase !== 'running' || pin !== 'agrees') return;
  const wall = BigInt(Math.floor(wallMicros));
  if (floor.token >= wall + ahead / 2n) return;
  if (state.partitions.some(({ record }) => record === undefined || record.kind === 'none')) return;
  const isRead = now < after(floor.readAt, (config.floorAheadMs ?? 0) / 4);
  if (isRead) raiseBeyond(state, wall);
  else floor.isAsked = true;
}

/** Reads or raises the second place, if that is needed and no other call is on its way. */
export function askFloor(state: MemberState): void {
  const { floor, now, config } = state;
  // Every step comes here: a store without such a place is spared the call.
  if (config.floorAheadMs !== undefined) keepAhead(state);
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
