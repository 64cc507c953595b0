// The own session: opened with the first claim, renewed by every exchange, and over for good once it
// is over (M2).
import type { RowChange } from '../rows/rows.ts';
import { after, type Instant, latest, longAgo, never } from '../time/instant.ts';
import { ownPresence } from './members.ts';
import { watch } from './owners.ts';
import { followsRenewals, held, nextAt, pollAfter } from './polls.ts';
import { endText, liveText, noteName, noteText, sessionName } from './records.ts';
import { type MemberState, nextId, type OwnSession, type Session, sessionNamed } from './state.ts';
import type { LeaseConfig } from './types.ts';

/** How late a note may leave, so that it causes no exchange of its own. In T. */
const lateShare = 1 / 16;

/** Begins a session. Its row is created by one request, which is never repeated. */
export function open(state: MemberState): OwnSession {
  const { thresholdMs } = state.config;
  const row = sessionNamed(state, nextName(state));
  Object.assign(row, { thresholdMs, presence: ownPresence(state) });
  const own: OwnSession = {
    row,
    isValid: false,
    until: longAgo,
    provedAt: longAgo,
    openedAt: state.now,
    attempts: [],
    isAwaited: state.wants.size > 0,
    idleSince: state.now,
    sureFrom: 0,
    isEnding: false,
  };
  state.own = own;
  own.attempts = [{ text: textOf(state, 0), version: 0, sentAt: state.now }];
  return own;
}

/**
 * Whether a claim may open a session, if it needs one. A store may make changes, and answer only readings: each
 * opening would keep the others waiting for T. After two without an answer, the answer to a note comes first.
 */
export function mayOpen({ own, rules, openings, isCampaigning }: MemberState): boolean {
  return own !== undefined || !isCampaigning || rules.mayOpen(openings.unanswered);
}

/**
 * Returns the name of the next session. One that the group knows already, by a row of a stranger, is
 * passed over: its row may be dead, and nothing replaces that.
 */
function nextName(state: MemberState): string {
  const { config, rules, sessions, openings } = state;
  for (;;) {
    openings.count += 1;
    const name = `${config.incarnation}/${openings.count}`;
    if (rules.opensKnown() || !sessions.has(name)) return name;
  }
}

/** Returns the change of the own session with which every exchange begins (M1). */
export function renewal(state: MemberState, own: OwnSession): RowChange {
  const { row } = own;
  const version = row.version + 1;
  if (own.isValid)
    own.attempts = [...own.attempts, { text: textOf(state, version), version, sentAt: state.now }];
  const { isAwaited } = own;
  own.isAwaited = false;
  const text = own.attempts.at(-1)?.text ?? null;
  return { name: sessionName(row.id), expected: row.text, text, isAwaited };
}

function textOf(state: MemberState, version: number): string {
  const { own, config } = state;
  const { thresholdMs } = config;
  return liveText(
    {
      version,
      thresholdMs: state.rules.thresholdOf(thresholdMs, version),
      presence: ownPresence(state),
      at: wallMsOf(state),
      isStanding: state.isCampaigning && own?.isEnding !== true,
      wants: [...state.wants],
      ...ownLimit(state),
    },
    nextId(state),
  );
}

function wallMsOf({ wallMicros }: MemberState): number {
  return Math.floor(wallMicros / 1000);
}

/** Returns the limit of this member as its records say it. */
function ownLimit({ config }: MemberState): Pick<LeaseConfig, 'partitionsMax'> {
  const { partitionsMax } = config;
  return { ...(partitionsMax !== undefined && { partitionsMax }) };
}

/** Takes the present text of the own session: a proof, or the end. */
export function proved(state: MemberState, own: OwnSession, text: string | null): void {
  const attempt = state.rules.provedBy(own.attempts, text);
  if (attempt === undefined) return over(state, 'superseded');
  const { thresholdMs, driftRate } = state.config;
  const until = state.rules.validUntil(attempt.sentAt, state.now, thresholdMs, driftRate);
  if (until > own.until) [own.until, own.provedAt] = [until, attempt.sentAt];
  own.attempts = [];
  if (own.isValid) return;
  own.isValid = true;
  for (const index of own.row.owns) state.todo.add(index);
}

/** The session is over, and with it every term. */
export function over(state: MemberState, reason: 'expired' | 'superseded'): void {
  const { own } = state;
  if (own === undefined) return;
  state.own = undefined;
  for (const partition of state.led) state.outputs.push({ kind: 'lost', partition, reason });
  for (const index of [...own.row.owns, ...state.led, ...state.wants]) {
    const partition = state.partitions[index];
    if (partition !== undefined) {
      partition.stage = 'idle';
      partition.silentUntil = state.rules.silenceAfterSession(partition.silentUntil);
    }
    state.todo.add(index);
  }
  // While it was ending, this member claimed nothing, whatever was free.
  if (own.isEnding) for (const { index } of state.partitions) state.todo.add(index);
  state.led.clear();
  state.wants.clear();
  // A claim by a session that is over begins nothing.
  state.claims.clear();
  state.areMembersStale = true;
  watch(state, own.row);
}

/** Ends what the clock has ended. Returns when to look again. */
export function expire(state: MemberState): Instant {
  const { own, rules, now } = state;
  if (own === undefined || !own.isValid) return never;
  if (now < own.until) return own.until;
  if (rules.endsForGood()) over(state, 'expired');
  return never;
}

/** Reports a later deadline to the host. */
export function prolong(state: MemberState): void {
  const { own } = state;
  if (own === undefined || !own.isValid || own.until <= state.reportedUntil) return;
  state.reportedUntil = own.until;
  state.outputs.push({ kind: 'prolonged', until: own.until, sentAt: own.provedAt });
}

/** Returns when the session ends: one that owns and wants nothing, or whose release does not land. */
export function endsAt(state: MemberState, own: OwnSession): Instant {
  if (own.isEnding) return state.led.size === 0 ? silenceOver(state, own) : never;
  if (own.row.owns.size > 0 || state.wants.size > 0 || state.led.size > 0) {
    own.idleSince = state.now;
    return never;
  }
  return state.phase === 'closing' ? state.now : after(own.idleSince, state.config.thresholdMs);
}

/**
 * Returns when the session may end, which frees what it owns: when all work that was given up has had the
 * rest of its lease (H3), and no partition is doubted whose row was written by hand (M5).
 */
function silenceOver({ partitions, now }: MemberState, { row }: OwnSession): Instant {
  const waits = [...row.owns].map((index) => {
    const { silentUntil = now, doubtUntil = now } = partitions[index] ?? {};
    return latest(silentUntil, doubtUntil);
  });
  return latest(now, ...waits);
}

/** Ends the own session. The next exchange says so, and frees what it still owns. */
export function end(state: MemberState, { row }: OwnSession): void {
  state.chores.push({
    name: sessionName(row.id),
    expected: row.text,
    text: endText('ended', row.id, row.version + 1),
    isAwaited: row.owns.size > 0,
  });
  over(state, 'superseded');
}

/** Returns the change of the note that a candidate without a session leaves every T/2. */
export function noteChange(state: MemberState): RowChange | undefined {
  const { note, config, own, pin, now } = state;
  const { thresholdMs, incarnation } = config;
  const isNeeded =
    state.isCampaigning && own === undefined && state.phase === 'running' && pin === 'agrees';
  // Every step asks, and most members have no note to remove.
  if (!isNeeded && note.text === null) return undefined;
  const isDue = isNeeded ? isNoteDue(state) || !mayOpen(state) : isRemovalDue(state);
  if (!isDue) return undefined;
  note.dueAt = after(now, state.rules.noteMs(thresholdMs));
  const text = isNeeded
    ? noteText(
        { thresholdMs, ...ownLimit(state), presence: ownPresence(state), at: wallMsOf(state) },
        nextId(state),
      )
    : null;
  return {
    name: noteName(incarnation),
    expected: note.text,
    text,
    // A new member is news; that it is still there is not.
    isAwaited: note.text === null,
  };
}

/**
 * Whether the note is to be removed. A member that closes, and has no session any more, counts its attempts, and
 * does not wait for the next.
 */
function isRemovalDue({ note, now, phase, own }: MemberState): boolean {
  const isLast = phase === 'closing' && own === undefined;
  return now >= note.removeAt || isLast;
}

/** Whether the note is due; or a poll is, and the next one comes too late for the note. */
function isNoteDue(state: MemberState): boolean {
  const { note, now, config } = state;
  // Every step asks: `latestNoteAt` and `nextAt` are called only for a store that does not notify.
  if (!config.isSilent) return now >= note.dueAt;
  const at = held(state, latestNoteAt(state));
  return now >= at || (followsRenewals(state) && now >= nextAt(state) && pollAfter(state) > at);
}

/** Returns when the note leaves at the latest: it waits a little for a poll, so that it causes no exchange. */
function latestNoteAt(state: MemberState): Instant {
  const { note, config } = state;
  const waits = note.text !== null && followsRenewals(state);
  return waits ? after(note.dueAt, lateShare * config.thresholdMs) : note.dueAt;
}

/** Returns when the next note is due. One that is due now waits for the next exchange. */
export function noteAt(state: MemberState): Instant {
  const { own, isCampaigning, phase, now, note, config } = state;
  const at = config.isSilent ? held(state, latestNoteAt(state)) : note.dueAt;
  const isLeft = isCampaigning && own === undefined && phase === 'running';
  return isLeft && at > now ? at : never;
}

/** Returns the session as the owner of a term, if it is the own one and seen in effect. */
export function validOwn(state: MemberState, session: Session | undefined): OwnSession | undefined {
  const { own, rules, config } = state;
  if (own === undefined || session === undefined) return undefined;
  return rules.isMine(session.id, own.row.id, config.incarnation) ? own : undefined;
}
