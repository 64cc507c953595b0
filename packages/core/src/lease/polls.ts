// When a member sends the next exchange that changes nothing but the own session. It is a matter of time
// alone: no rule depends on when a member reads.
import { after, earliest, type Instant, latest, never } from '../time/instant.ts';
import { isAlive } from './owners.ts';
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
/** The shortest and the longest time between two polls that follow renewals, in their usual pause: T/16, T/3. */
const [leastShare, mostShare] = [1 / 4, 4 / 3] as const;

/** Returns when the next exchange is due of a member that nothing notifies. */
export function nextAt(state: MemberState): Instant {
  const { sentAt } = state;
  const ms = pauseMs(state);
  if (!followsRenewals(state)) return after(sentAt, ms);
  const at = shifted(state, after(state.pollFrom, ms), ms);
  const usualMs = usualPollMs(state);
  return earliest(
    latest(at, after(sentAt, leastShare * usualMs)),
    after(sentAt, mostShare * usualMs),
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
function renewedAt(
  { now, wallMicros, config, rules }: MemberState,
  { writtenAt, thresholdMs }: Session,
  due: Instant,
): Instant {
  if (writtenAt === undefined) return never;
  const periodMs = rules.renewMs(thresholdMs, { led: new Set(), partitions: [] });
  const from = now + writtenAt - wallMicros / 1000 + renewedShare * config.thresholdMs;
  const count = Math.max(1, Math.round((due - from) / periodMs));
  return after(from as Instant, count * periodMs);
}
