import { type Instant, never } from '../time/instant.ts';
import { vacantAt } from './claiming.ts';
import { inEffect } from './fold.ts';
import { holderOf, type LedgerRecord } from './record.ts';
import { isBelieving, type Turn } from './turn.ts';

/** Tells who leads, where that changed. A holder whose lease has lapsed unrenewed leads no more, as far as anyone can tell. */
export function tellLeader(turn: Turn): void {
  const { state, outputs, now } = turn;
  const record = now < lapsesAt(turn) ? leaderIn(turn) : undefined;
  if (isSameReign(record, state.told)) {
    state.told = record;
    return;
  }
  state.told = record;
  outputs.push({ kind: 'leader', record });
}

/** When the leader that was told will have lapsed. */
export function tellAt(turn: Turn): Instant {
  return turn.state.told === undefined ? never : lapsesAt(turn);
}

function lapsesAt(turn: Turn): Instant {
  const { fold, tenure } = turn.state;
  const waits = fold.kind === 'following' ? fold.waits : fold.waitsBefore;
  if (waits === undefined || isBelieving(tenure) || leaderIn(turn) === undefined) return never;
  return vacantAt(turn, { kind: 'following', effect: inEffect(fold), waits, lost: [] });
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
