// When a member sends the next exchange that changes nothing but the own session. It is a matter of time
// alone: no rule depends on when a member reads.
import { after, earliest, type Instant, latest, never } from '../time/instant.ts';
import { deposesAt, isAlive } from './owners.ts';
import type { MemberState, Session } from './state.ts';

/** A member without a session reads that often in T. */
const readingsPerThreshold = 4;
/**
 * The pause of an observer, in that of a candidate: two of them are shorter than T, so that it sees each
 * renewal and note in time also if one of its readings is late.
 */
const observingShare = 1.5;
/** A member that asks for partitions renews more often, so that its record is new enough. */
const askingPerThreshold = 8;
/** The part of T after which others are notified of a change in the own record. */
const awaitedShare = 1 / 50;
/** How long after a renewal was due a poll expects to read it, in T. */
const renewedShare = 1 / 32;
/** How long after such a poll the next ones are due, in T, if it has not shown the renewal. */
const lateShares = [1 / 32, 1 / 8] as const;
/**
 * After a renewal that was read that much later, in T, none of these polls follows: the wall clocks may differ.
 * They are tried again after every few renewals.
 */
const skewShare = 1 / 6;
const triedEvery = 8;
/** A poll that is due so shortly before a deposition is left to it, so that its answer delays nothing. In T. */
const heldShare = 1 / 16;
/** The shortest and the longest time between two polls that follow renewals, in their usual pause: T/16, T/3. */
const [leastShare, mostShare] = [1 / 4, 4 / 3] as const;

/** Returns when the next exchange is due of a member that nothing notifies. */
export function nextAt(state: MemberState): Instant {
  const { sentAt } = state;
  const ms = pauseMs(state);
  if (!followsRenewals(state)) return after(sentAt, ms);
  const at = shifted(state, after(state.pollFrom, ms), ms);
  const usualMs = usualPollMs(state);
  const usualAt = earliest(
    latest(at, after(sentAt, leastShare * usualMs)),
    after(sentAt, mostShare * usualMs),
  );
  return held(state, earliest(usualAt, lateAt(state)));
}

/**
 * Returns when an exchange leaves that is due at `at`: not shortly before this member deposes a leader. That
 * exchange reads too, and would wait for the answer to this one.
 */
export function held(state: MemberState, at: Instant): Instant {
  if (!followsRenewals(state)) return at;
  const from = latest(at, state.now);
  const heldMs = heldShare * state.config.thresholdMs;
  const ends = leadersOf(state).map((session) => deposesAt(state, session));
  return latest(at, ...ends.filter((end) => from < end && from > after(end, -heldMs)));
}

/** Returns when to poll again for a renewal that was due, and that the last poll has not shown yet. */
function lateAt(state: MemberState): Instant {
  const { sentAt } = state;
  const { thresholdMs } = state.config;
  let at = never;
  for (const session of leadersOf(state)) {
    const { readAt, version } = session;
    const from = readableAt(state, session);
    const dueAt = after(from, renewalMs(state, session));
    const isSkewed = readAt > after(from, skewShare * thresholdMs) && version % triedEvery > 0;
    // Wall clocks count whole milliseconds here.
    if (isSkewed || sentAt < after(dueAt, -1)) continue;
    const again = lateShares.map((share) => after(dueAt, share * thresholdMs));
    at = earliest(at, ...again.filter((next) => next > after(sentAt, 1)));
  }
  return at;
}

/** Returns the other members' sessions that lead and are not deposed. */
function leadersOf(state: MemberState): readonly Session[] {
  return [...state.sessions.values()].filter(
    (session) => session.state === 'live' && session.owns.size > 0,
  );
}

/** Returns when the next poll of a member that follows renewals is due, if it sends one now. */
export function pollAfter(state: MemberState): Instant {
  const ms = pauseMs(state);
  return shifted(state, after(pollFrom(state), ms), ms);
}

/**
 * Returns the instant from which the pause to the next poll counts, when an exchange is sent: the one for
 * which this poll was due before it was shifted, so that polls are as many as without a shift.
 */
export function pollFrom(state: MemberState): Instant {
  const { now } = state;
  if (!followsRenewals(state)) return now;
  const ms = pauseMs(state);
  const due = after(state.pollFrom, ms);
  return Math.abs(now - due) <= ms / 2 ? due : now;
}

/** Returns the longest time between two polls of another member that stands by. */
export function longestPollMs(state: MemberState): number {
  return (state.config.isSilent ? mostShare : 1.1) * usualPollMs(state);
}

function usualPollMs({ config }: MemberState): number {
  return config.traits.pollMs ?? config.thresholdMs / readingsPerThreshold;
}

/** Returns the time between two exchanges that change nothing but the own session. */
export function pauseMs(state: MemberState): number {
  const { own, wants, config, candidacies, rules } = state;
  const { thresholdMs, jitter } = config;
  if (own?.isAwaited) return thresholdMs * awaitedShare;
  if (own && wants.size > 0) return thresholdMs / askingPerThreshold;
  if (own) return rules.renewMs(thresholdMs, state);
  const pollMs = usualPollMs(state);
  return (candidacies > 0 ? pollMs : observingShare * pollMs) * (1 + 0.1 * jitter);
}

/** Whether this member stands by, and sees renewals by its polls alone. */
export function followsRenewals({ own, candidacies, config }: MemberState): boolean {
  return config.isSilent === true && own === undefined && candidacies > 0;
}

/**
 * Returns when to poll in place of `due`: a little after a renewal is due, if one is due within half a pause
 * of it. T counts from the reading of a renewal (M4), so a member that reads each one soon deposes a leader
 * soon that has crashed. By the wall clocks: where these differ, polls come at other times, and not less often.
 */
function shifted(state: MemberState, due: Instant, ms: number): Instant {
  const off = (at: Instant): number => Math.abs(at - due);
  const renewals = [...state.sessions.values()]
    .filter((session) => isAlive(session) && session.owns.size > 0)
    .map((session) => renewedAt(state, session, due))
    .filter((at) => off(at) <= ms / 2);
  return renewals.reduce((best, at) => (off(at) < off(best) ? at : best), renewals[0] ?? due);
}

/** Returns when a renewal can be read that follows the known one, the nearest to `due`. */
function renewedAt(state: MemberState, session: Session, due: Instant): Instant {
  const from = readableAt(state, session);
  if (from === never) return never;
  const periodMs = renewalMs(state, session);
  return after(from, Math.max(1, Math.round((due - from) / periodMs)) * periodMs);
}

/** Returns when the known renewal could be read, by the wall clocks; never, if it does not say when it was written. */
function readableAt({ now, wallMicros, config }: MemberState, { writtenAt }: Session): Instant {
  if (writtenAt === undefined) return never;
  return after(now, writtenAt - wallMicros / 1000 + renewedShare * config.thresholdMs);
}

function renewalMs({ rules }: MemberState, { thresholdMs }: Session): number {
  return rules.renewMs(thresholdMs, { led: new Set(), partitions: [] });
}
