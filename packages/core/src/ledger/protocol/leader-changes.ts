// Reports the leader of the partition to the source whenever it changes. Part of the machine in
// `step.ts`.
import { type Instant, never } from '../../time/instant.ts';
import { holderOf, type LedgerRecord } from '../record.ts';
import { inEffect } from './fold.ts';
import { isBelieving, type StepContext } from './step-context.ts';

/**
 * Emits the leader if it changed. A holder whose lease lapsed without a renewal no longer counts as
 * the leader. Returns when that will be the case.
 */
export function emitLeaderChange(context: StepContext): Instant {
  const { state, outputs, now } = context;
  const lapseAt = lapsesAt(context);
  const record = now < lapseAt ? leaderIn(context) : undefined;
  if (!isSameTerm(record, state.lastLeader)) outputs.push({ kind: 'leader', record });
  state.lastLeader = record;
  return record === undefined ? never : lapseAt;
}

/**
 * Returns when the lease of another member has lapsed unless it is renewed, by what this member has
 * read. The holder itself counts from an earlier moment. `never` if no other member holds one.
 */
export function lapsesAt(context: Pick<StepContext, 'rules' | 'state'>): Instant {
  const { fold, leaseState } = context.state;
  if (isBelieving(leaseState) || leaderIn(context) === undefined) return never;
  const record = inEffect(fold);
  const waits = fold.kind === 'following' ? fold.waits : fold.waitsBefore;
  if (record === null || waits === undefined) return never;
  return context.rules.lapsesAt(waits.arrivedAt, record.thresholdMs, context.state.self.driftRate);
}

function leaderIn({ state }: Pick<StepContext, 'state'>): LedgerRecord | undefined {
  const record = inEffect(state.fold);
  return record !== null && holderOf(record) !== undefined ? record : undefined;
}

/**
 * Returns whether two records belong to the same term and need no second report. A delegated lease
 * is reported again with the first record that its holder writes, because only that record has the
 * holder's metadata.
 */
function isSameTerm(a: LedgerRecord | undefined, b: LedgerRecord | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return (
    a.token === b.token &&
    a.kind === b.kind &&
    holderOf(a)?.incarnation === holderOf(b)?.incarnation
  );
}
