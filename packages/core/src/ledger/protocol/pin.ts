// Keeps all members of a group on the same settings (R3): the pin is one record per group, written
// before any lease and read before the first claim. It fixes the values that all members must agree
// on: the number of partitions, how long an empty store must be waited for, and the guarantee.
import type { Moment } from '../../time/clock.ts';
import { after, type Instant, longAgo, never } from '../../time/instant.ts';
import { type LedgerRecord, pinRecordOf } from '../record.ts';
import { type Folded, foldEnd, foldRecord, foldRestarted, unread } from './fold.ts';
import type { LedgerRules } from './rules.ts';
import type { Fold, LedgerInput, MemberConfig, PartitionState } from './state.ts';

/** The guarantee of every ledger (R3). A pin without a guarantee was written by a ledger. */
const exclusive = 'exclusive';

/** The state of one member for its group's pin. */
export interface PinState {
  readonly self: MemberConfig;
  readonly fold: Fold;
  readonly sequence: number;
  readonly writeAt: Instant;
  /**
   * Whether the pin must be read again: a read contradicted an earlier one, or the store refused a
   * write (L11).
   */
  readonly doubted: boolean;
  /**
   * The number of consecutive refusals of a first pin although the register was read to its end and
   * was empty.
   */
  readonly refusals: number;
}

/** The result of a step of the pin. */
export interface PinStep {
  readonly state: PinState;
  readonly pin: PartitionState['pin'];
  readonly write?: LedgerRecord;
  /** Read the pin's register again. */
  readonly reread?: true;
  /** The register reads as empty, but the store refuses the first pin, even after a reread. */
  readonly isContradicted: boolean;
  readonly wakeAt: Instant;
}

/** An input of the pin's state machine. */
export type PinInput = LedgerInput & {
  readonly kind: 'record' | 'end' | 'restarted' | 'wake' | 'written';
};

/** Returns the state of the pin before the first input. */
export function newPin(self: MemberConfig, at: Instant): PinState {
  return { self, fold: unread(at), sequence: 0, writeAt: longAgo, doubted: false, refusals: 0 };
}

/**
 * Processes one input. Writes a pin if there is none yet; an observer (`mayWrite` false) leaves
 * that to other members.
 */
export function stepPin(
  rules: LedgerRules,
  before: PinState,
  input: PinInput,
  { now }: Moment,
  mayWrite: boolean,
): PinStep {
  const state = { ...before, ...learn(rules, before, input, now) };
  const next = decide(rules, state, now, mayWrite);
  const result = { ...next, isContradicted: next.state.refusals > 1 };
  return state.doubted && !before.doubted ? { ...result, reread: true } : result;
}

function decide(
  rules: LedgerRules,
  state: PinState,
  now: Instant,
  mayWrite: boolean,
): Omit<PinStep, 'isContradicted'> {
  const { fold, self, writeAt } = state;
  if (fold.kind === 'reading') return { state, pin: 'unknown', wakeAt: never };
  if (fold.effect !== null)
    return { state, pin: rules.agrees(fold.effect, self) ? 'agrees' : 'differs', wakeAt: never };
  if (!mayWrite) return { state, pin: 'unknown', wakeAt: never };
  if (now < writeAt) return { state, pin: 'unknown', wakeAt: writeAt };
  const next = {
    ...state,
    sequence: state.sequence + 1,
    writeAt: after(now, rules.renewMs(self.thresholdMs)),
  };
  return {
    state: next,
    pin: 'unknown',
    write: pinRecordOf({ ...self, guarantee: exclusive }, next.sequence),
    wakeAt: next.writeAt,
  };
}

function learn(
  rules: LedgerRules,
  { fold, self, doubted, refusals }: PinState,
  input: PinInput,
  now: Instant,
): Partial<PinState> {
  switch (input.kind) {
    case 'record':
      return doubtable(foldRecord(rules, self.shape, fold, input.record, input.receivedAt));
    case 'end':
      return learnEnd(foldEnd(rules, self.shape, fold, now).fold, refusals);
    case 'restarted':
      return { fold: foldRestarted(fold, now), doubted: false };
    case 'written':
      return learnWritten(rules, { fold, self, doubted, refusals }, input, now);
    case 'wake':
      return {};
  }
}

function learnWritten(
  rules: LedgerRules,
  { fold, self, doubted, refusals }: Pick<PinState, 'fold' | 'self' | 'doubted' | 'refusals'>,
  { record, outcome }: PinInput & { readonly kind: 'written' },
  now: Instant,
): Partial<PinState> {
  if (outcome === 'in-effect') return doubtable(foldRecord(rules, self.shape, fold, record, now));
  // Another member's pin exists, but until it has been read there is nothing to compare with.
  if (outcome !== 'refused' || fold.kind !== 'following' || fold.effect !== null) return {};
  // A refusal of a write from before the reread is not new evidence.
  return { doubted: true, refusals: doubted ? refusals : refusals + 1 };
}

function learnEnd(fold: Fold, refusals: number): Partial<PinState> {
  return { fold, refusals: fold.kind === 'following' && fold.effect !== null ? 0 : refusals };
}

function doubtable({ fold, verdict }: Folded): Partial<PinState> {
  if (verdict === 'went-back') return { fold, doubted: true };
  return verdict === 'in-effect' ? { fold, refusals: 0 } : { fold };
}
