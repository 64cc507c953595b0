import { type Instant, never } from '../../time/instant.ts';
import { holderOf, type LedgerRecord } from '../record.ts';
import { inEffect } from './fold.ts';
import { isBelieving, type Turn } from './step-context.ts';

/**
 * Emits the leader if it changed. A holder whose lease lapsed without a renewal no longer counts as
 * the leader. Returns when that will be the case.
 */
export function tellLeader(turn: Turn): Instant {
  const { state, outputs, now } = turn;
  const lapseAt = lapsesAt(turn);
  const record = now < lapseAt ? leaderIn(turn) : undefined;
  if (!isSameReign(record, state.told)) outputs.push({ kind: 'leader', record });
  state.told = record;
  return record === undefined ? never : lapseAt;
}

function lapsesAt(turn: Turn): Instant {
  const { fold, tenure } = turn.state;
  if (isBelieving(tenure) || leaderIn(turn) === undefined) return never;
  const record = inEffect(fold);
  const waits = fold.kind === 'following' ? fold.waits : fold.waitsBefore;
  if (record === null || waits === undefined) return never;
  return turn.rules.lapsesAt(waits.arrivedAt, record.thresholdMs, turn.state.self.driftRate);
}

function leaderIn({ state }: Turn): LedgerRecord | undefined {
  const record = inEffect(state.fold);
  return record !== null && holderOf(record) !== undefined ? record : undefined;
}

/**
 * Returns whether two records belong to the same term and need no second report. A delegated lease
 * is reported again with the first record that its holder writes, because only that record has the
 * holder's metadata.
 */
function isSameReign(a: LedgerRecord | undefined, b: LedgerRecord | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return a.token === b.token && a.kind === b.kind && holderOf(a)?.incarnation === holderOf(b)?.incarnation;
}
