// The owner of each partition, as the placement, the host and the clock see it.
import type { KnownLeader } from '../contract/backend.ts';
import { after, type Instant, latest, never } from '../time/instant.ts';
import { lookForHeir } from './limit.ts';
import { type Basis, tokenOf } from './records.ts';
import { staggerMs } from './rules.ts';
import {
  isOfThisProcess,
  type MemberState,
  type Partition,
  type Session,
  sessionNamed,
} from './state.ts';

/** Sets the owner of a partition, by the record in effect. */
export function setOwner(state: MemberState, partition: Partition): void {
  const { owner: before, record, index } = partition;
  const id = record === undefined || record.kind === 'none' ? undefined : record.session;
  const owner = id === undefined ? undefined : sessionNamed(state, id);
  partition.owner = owner;
  if (before !== owner) {
    before?.owns.delete(index);
    owner?.owns.add(index);
    if (before) gaveUp(state, before);
    if (owner?.owns.size === 1 && owner.state === 'absent')
      owner.arrivedAt = state.rules.missingSince(owner.arrivedAt, state.now);
  }
  if (owner) watch(state, owner);
  placeHolder(state, partition);
}

/** A session owns a partition less. */
function gaveUp(state: MemberState, session: Session): void {
  lookForHeir(state, session);
  watch(state, session);
}

/** Tells the placement who holds a partition. */
export function placeHolder(state: MemberState, { index, owner, record }: Partition): void {
  const isHeld = owner !== undefined && owner.state !== 'dead';
  const { incarnation = '' } = owner ?? {};
  state.balance.hold(index, isHeld ? { incarnation, token: tokenOf(record) } : undefined);
}

/** Reports the leader of a partition, if it has changed as far as this member has read or was shown. */
export function reportLeader(state: MemberState, partition: Partition): void {
  const { record, index, leader: known } = partition;
  const owner = isAlive(partition.owner) ? partition.owner : undefined;
  const leader = partition.announced?.leader ?? (owner && knownLeader(owner, tokenOf(record)));
  if (known?.incarnation === leader?.incarnation && known?.token === leader?.token) return;
  const before = partition.basis;
  partition.leader = leader;
  if (leader) partition.basis = basisOf(partition.announced ?? record);
  state.outputs.push({ kind: 'leader', partition: index, leader, ...(before && { before }) });
}

function basisOf(record: Partition['announced'] | Partition['record']): Basis | undefined {
  if (record === undefined || !('session' in record) || record.session === undefined)
    return undefined;
  const { life, version, session } = record;
  return { life, version, session };
}

/** Returns a session as the leader of a term. */
export function knownLeader(
  { presence: { member, metadata }, incarnation }: Pick<Session, 'presence' | 'incarnation'>,
  token: bigint,
): KnownLeader {
  return { member, incarnation, token, metadata };
}

/** Returns whether a session may still act, as far as this member has read. */
export function isAlive(session: Session | undefined): session is Session {
  return session !== undefined && session.state === 'live' && !session.isLapsed;
}

/**
 * Returns the milliseconds until the lease of another member lapses that leads the partition, unless
 * this member reads a renewal; `undefined` as long as only a notification has shown that member.
 */
export function leaseMsOf(state: MemberState, index: number, now: Instant): number | undefined {
  const { owner, announced } = state.partitions[index] ?? {};
  if (announced !== undefined || !isAlive(owner) || isOfThisProcess(state, owner)) return undefined;
  return Math.max(0, lapseOf(state, owner) - now);
}

/** Returns when a session that does not change may be deposed (M4). */
export function lapseOf({ rules, config, doubtUntil }: MemberState, session: Session): Instant {
  const { thresholdMsMax, driftRate } = config;
  const ms = session.state === 'absent' ? rules.absentMs(thresholdMsMax) : session.thresholdMs;
  return latest(rules.waitsUntil(session.arrivedAt, ms, driftRate), doubtUntil);
}

/** Returns when a session that has lapsed is deposed by this member. */
export function deposesAt(state: MemberState, session: Session): Instant {
  const { jitter } = state.config;
  return latest(after(lapseOf(state, session), 2 * staggerMs * jitter), session.retryAt);
}

/** A session began, ended, lapsed, or changed in what others may expect of it. */
export function changedSession(state: MemberState, session: Session): void {
  state.areMembersStale = true;
  // A release that waits for the second place may have another heir now, or none.
  for (const index of state.floor.waiting) state.todo.add(index);
  for (const index of session.owns) {
    const partition = state.partitions[index];
    if (partition === undefined) continue;
    placeHolder(state, partition);
    state.todo.add(index);
    reportLeader(state, partition);
  }
}

/** Sets when a session lapses, or when a dead one is swept. */
export function watch(state: MemberState, session: Session): void {
  const { config, rules, own, due } = state;
  if (session === own?.row) return due.set(session, never);
  if (!isOver(session)) return due.set(session, session.isLapsed ? never : lapseOf(state, session));
  const isOwn = isOfThisProcess(state, session);
  const sweepMs = rules.sweepMs(isOwn, config.thresholdMsMax);
  const sweptAt = after(
    session.arrivedAt,
    sweepMs + (isOwn ? 0 : config.jitter * config.thresholdMsMax),
  );
  due.set(session, session.owns.size === 0 ? sweptAt : never);
}

/** Whether nothing follows a session: it is dead, or nothing but its name is known. */
export function isOver({ state, owns }: Session): boolean {
  return state === 'dead' || (state === 'absent' && owns.size === 0);
}
