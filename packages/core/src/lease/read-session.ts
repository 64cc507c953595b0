import { isSamePresence } from '../engine/presence.ts';
import { type Instant, longAgo } from '../time/instant.ts';
import { doubt } from './doubt.ts';
import { isOld } from './members.ts';
import { changedSession, isAlive, watch } from './owners.ts';
import type { SessionRecord } from './records.ts';
import { proved } from './session.ts';
import { isOfThisProcess, type MemberState, type Session, sessionNamed } from './state.ts';

/** Takes the text of a session as it is now. */
export function readSession(state: MemberState, id: string, text: string | null): void {
  const known = state.sessions.get(id);
  if (text === (known?.text ?? null)) return;
  const session = known ?? sessionNamed(state, id);
  const record =
    text === null ? undefined : state.rules.sessionOf(text, state.config.thresholdMsMax);
  const isBack = wentBack(state, session, record);
  const before = { wants: session.wants, look: lookOf(session), presence: session.presence };
  session.text = text;
  session.isLapsed = false;
  session.isUnheard = !state.hasRead && record !== undefined && isOld(state, record);
  // A deposition that was refused is repeated over the new text at once.
  session.retryAt = longAgo;
  setRecord(session, record);
  session.readAt = state.now;
  session.arrivedAt = arrivalOf(state, session);
  if (isBack) doubt(state, true);
  if (state.own?.row === session) proved(state, state.own, text);
  if (lookOf(session) !== before.look) changedSession(state, session);
  if (!isSamePresence(session.presence, before.presence)) state.listing.isStale = true;
  if (!isOfThisProcess(state, session)) lookAtWanted(state, session, before.wants);
  watch(state, session);
}

/**
 * Returns when the record was received (M4): its exchange had begun before anybody could see it, so it
 * counts from the notification that showed it.
 */
function arrivalOf({ rules, now }: MemberState, { text, state, shown }: Session): Instant {
  const isShown = shown !== undefined && rules.countsFromShown(shown.text === text);
  return state === 'live' && isShown ? shown.at : now;
}

/** A session that went back, or that was dead and lives: a store that has lost its end (M6). */
function wentBack(
  { rules }: MemberState,
  { text, version }: Session,
  record: SessionRecord | undefined,
): boolean {
  return record !== undefined && text !== null && rules.wentBack(version, record.version);
}

function setRecord(session: Session, record: SessionRecord | undefined): void {
  const wasLive = session.state === 'live';
  const live = record?.kind === 'live' ? record : undefined;
  session.writtenAt = live?.at;
  session.version = record?.version ?? -1;
  session.state = record === undefined ? 'absent' : live ? 'live' : 'dead';
  session.isDeposed = record?.kind === 'deposed';
  session.isProved = record?.isProved ?? false;
  session.isStanding = live?.isStanding ?? false;
  session.wants = wantsOf(live);
  if (live === undefined) return;
  session.partitionsMax = live.partitionsMax ?? Number.POSITIVE_INFINITY;
  // T is constant within a session. Where one differs all the same, the longest counts.
  session.thresholdMs = wasLive
    ? Math.max(session.thresholdMs, live.thresholdMs)
    : live.thresholdMs;
  session.presence = live.presence;
}

const noWants: ReadonlySet<number> = new Set();

function wantsOf(live: SessionRecord | undefined): ReadonlySet<number> {
  return live === undefined || live.wants.length === 0 ? noWants : new Set(live.wants);
}

/** The state of a session as other members see it. If it changes, so may all that it owns. */
function lookOf(session: Session): string {
  return `${session.state} ${isAlive(session)} ${session.isStanding} ${session.partitionsMax}`;
}

/**
 * Looks at partitions that are newly wanted, again at those that this member leads, and at those that
 * are no longer wanted while their release waits for the second place: they are released to no session.
 */
function lookAtWanted(state: MemberState, { wants }: Session, before: ReadonlySet<number>): void {
  const { led, todo, floor } = state;
  for (const index of wants) if (!before.has(index) || led.has(index)) todo.add(index);
  for (const index of before) if (!wants.has(index) && floor.waiting.has(index)) todo.add(index);
}
