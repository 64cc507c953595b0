// The doubt of a member whose store may have lost changes (M6).
import type { Instant } from '../time/instant.ts';
import { watch } from './owners.ts';
import type { MemberState, OwnSession, Partition } from './state.ts';
import { mended, trouble } from './trouble.ts';

/**
 * For a while no member deposes, claims, releases to a session or begins a term. Requests from before
 * never begin one. `isSeen`: whether the store has shown a loss, which is reported; a new reader may have
 * to doubt a store too that was not in use for a while, and there is nothing to report.
 */
export function doubt(state: MemberState, isSeen: boolean): void {
  const until = doubtUntil(state);
  if (until <= state.doubtUntil) return;
  state.doubtUntil = until;
  state.isDoubted = true;
  state.wants.clear();
  if (state.own) state.own.sureFrom = nextVersion(state.own);
  for (const partition of state.partitions) {
    planAgain(state, partition);
    state.todo.add(partition.index);
  }
  for (const session of state.sessions.values()) watch(state, session);
  if (!isSeen) return;
  const ms = Math.ceil(until - state.now);
  trouble(state, 'history', {
    code: 'assumption-broken',
    message: `the store may have lost changes: for ${ms} ms no partition changes its leader, so that no term that was lost is led twice`,
  });
}

/** One row went back within a history, or was written by hand: it alone is doubted. */
export function doubtAlone(state: MemberState, partition: Partition, rule: 'M5' | 'M6'): void {
  partition.doubtUntil = doubtUntil(state);
  planAgain(state, partition);
  state.outputs.push({ kind: 'broken', partition: partition.index, rule });
}

/** Forgets the token that was planned for the next term: a lost term may have had a greater one (T1). */
function planAgain({ rules }: MemberState, partition: Partition): void {
  if (!rules.keepsPlanned()) partition.plannedToken = 0n;
}

/** Ends the doubt: every partition may have waited for it. */
export function endDoubt(state: MemberState): void {
  if (state.now < state.doubtUntil || !state.isDoubted) return;
  state.isDoubted = false;
  mended(state, 'history');
  for (const { index } of state.partitions) state.todo.add(index);
}

/** Until when no member acts on this partition (M6). */
export function doubtOf(state: MemberState, partition: Partition): Instant {
  return state.doubtUntil > partition.doubtUntil ? state.doubtUntil : partition.doubtUntil;
}

function doubtUntil({ rules, config, now }: MemberState): Instant {
  return rules.waitsUntil(now, rules.doubtMs(config.thresholdMsMax), config.driftRate);
}

/** Returns the first version of the own session that no attempt so far has. */
function nextVersion({ row, attempts }: OwnSession): number {
  return Math.max(row.version, ...attempts.map(({ version }) => version)) + 1;
}
