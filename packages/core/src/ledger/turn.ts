import { inEffect } from './fold.ts';
import { holderOf, type LedgerRecord } from './record.ts';
import type { LedgerRules } from './rules.ts';
import type { Believing, LedgerOutput, Moment, PartitionState, Tenure } from './state.ts';

/** One step under way: a draft of the next state, and what is to be done so far. Lives no longer than the step. */
export interface Turn extends Moment {
  readonly rules: LedgerRules;
  readonly state: { -readonly [Field in keyof PartitionState]: PartitionState[Field] };
  readonly outputs: LedgerOutput[];
}

export function beginTurn(rules: LedgerRules, state: PartitionState, { now, wallMicros }: Moment): Turn {
  return { rules, state: { ...state }, outputs: [], now, wallMicros };
}

/** Whether the record in effect makes this incarnation the holder (L2). Says nothing about belief. */
export function isHeldHere({ rules, state }: Turn): boolean {
  const holder = holderOf(inEffect(state.fold));
  return holder !== undefined && rules.isMine(holder, state.self);
}

export function isBelieving(tenure: Tenure): tenure is Believing {
  return tenure.kind === 'leading' || tenure.kind === 'revoking';
}

/** Sends an attempt that names the record in effect, and sets when the next write may follow. */
export function write(turn: Turn, change: Pick<LedgerRecord, 'kind' | 'token'> & Partial<LedgerRecord>): void {
  const { state, now } = turn;
  const { self, partition } = state;
  const { group, member, incarnation, thresholdMs } = self;
  const current = inEffect(state.fold);
  state.sequence += 1;
  const id = `${member}/${incarnation}/${partition}.${state.sequence}`;
  const place = { group, partition, id, after: current?.id ?? null, height: (current?.height ?? -1) + 1 };
  state.attempts = [...state.attempts.filter((attempt) => attempt.sentAt > now - thresholdMs), { id, sentAt: now }];
  state.writeAt = (now + turn.rules.renewMs(thresholdMs)) as Turn['now'];
  turn.outputs.push({ kind: 'write', record: { ...place, member, incarnation, thresholdMs, ...change } });
}
