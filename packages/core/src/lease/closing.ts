// The end of the own session, of the member, and of dead ones.
import { type Instant, never } from '../time/instant.ts';
import { isDue } from './requests.ts';
import { end, endsAt, over } from './session.ts';
import type { MemberState, OwnSession } from './state.ts';

/** Ends the own session if it owns and wants nothing, or cannot release what it owns. */
export function endIdle(state: MemberState): void {
  const { own, flight, readsOnly, now } = state;
  // The next reading shows which record of the session the end replaces.
  if (flight !== undefined || readsOnly) return;
  if (own?.isValid && endsAt(state, own) <= now) end(state, own);
}

/** Reports the dead of whom nothing is left to end. */
export function bury(state: MemberState): void {
  if (!state.hasRead) return;
  const { dead, sessions, rules } = state;
  const unburied = new Set<string | undefined>();
  if (dead.size > 0)
    for (const one of sessions.values())
      if (one.state === 'live') unburied.add(rules.deathOf(one.incarnation, dead));
  for (const incarnation of dead) {
    if (unburied.has(incarnation)) continue;
    dead.delete(incarnation);
    state.outputs.push({ kind: 'buried', incarnation });
  }
}

/**
 * Leaves, once everything has drained: the releases go first, and the end of the session frees what is
 * left. In doubt, and without a store that makes its changes, it just leaves. Returns when to look again.
 */
export function close(state: MemberState): Instant {
  if (state.phase !== 'closing' || state.led.size > 0 || state.flight !== undefined) return never;
  const { count, unmade } = state.failed;
  const isAlone = state.rules.leavesUnchanged(count, unmade) || !state.hasRead;
  if (state.readsOnly && !isAlone) return never;
  if (state.own && !isAlone && state.now >= state.doubtUntil) return closeSession(state, state.own);
  // Rows that others remove in time are not worth waiting for a store that does not answer.
  const isLeft = state.chores.some((chore) => isDue(state, chore)) || state.note.text !== null;
  if (isLeft && !isAlone && count === 0) return never;
  state.phase = 'closed';
  state.outputs.push({ kind: 'closed' });
  return never;
}

/** Returns whether a release is on its way, or about to be sent, and the store answers. */
export function isReleasing(state: MemberState): boolean {
  return state.own?.isValid === true && state.failed.count === 0 && hasReleases(state);
}

/** Whether a partition is released now. Work that was given up has the rest of its lease. */
function hasReleases({ partitions, now }: MemberState): boolean {
  return partitions.some(({ stage, silentUntil }) => stage === 'releasing' && now >= silentUntil);
}

function closeSession(state: MemberState, own: OwnSession): Instant {
  // This wake still writes the releases that are missing.
  if (own.isValid && hasReleases(state)) return never;
  // The end of the session would free them before their time (H3, M5).
  const isSilent = state.partitions.some(
    ({ stage, owner, doubtUntil }) =>
      stage === 'releasing' || (owner === own.row && state.now < doubtUntil),
  );
  if (own.isValid && !isSilent) end(state, own);
  else over(state, 'superseded');
  return state.now;
}
