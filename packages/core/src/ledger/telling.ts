import { type Instant, never } from '../time/instant.ts';
import { inEffect } from './fold.ts';
import { holderOf, type LedgerRecord } from './record.ts';
import { isBelieving, type Turn } from './turn.ts';

/**
 * Tells who leads, where that changed. A holder whose lease has lapsed unrenewed leads no more, as far as anyone can tell; says
 * when that will be so.
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

/** A lease that was handed over is told again with its holder's own first record: only that one has the holder's words. */
function isSameReign(a: LedgerRecord | undefined, b: LedgerRecord | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return a.token === b.token && a.kind === b.kind && holderOf(a)?.incarnation === holderOf(b)?.incarnation;
}
