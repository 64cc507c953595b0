// The pin (R3): one record per group, written first, read in effect before the first claim. It fixes what two members may
// not see differently: how many partitions roles are spread over, how long an empty store must be waited for, and what the group promises.
import { after, type Instant, longAgo, never } from '../time/instant.ts';
import { type Fold, type Folded, foldEnd, foldRecord, foldRestarted, unread } from './fold.ts';
import { type LedgerRecord, pinRegister } from './record.ts';
import type { LedgerRules } from './rules.ts';
import type { Contender, LedgerInput, Moment, PartitionState } from './state.ts';

/** What every ledger promises (R3). A pin that names no promise is a ledger's. */
const exclusive = 'exclusive';

/** What one member knows of its group's pin. */
export interface PinState {
  readonly self: Contender;
  readonly fold: Fold;
  readonly sequence: number;
  readonly writeAt: Instant;
  /** Whether the pin is to be read again: what was read contradicts what had been read, or a write was refused (L11). */
  readonly doubted: boolean;
  /** How often in a row a first pin was refused although the register had been read to its end, and was empty. */
  readonly refusals: number;
}

/** What a step of the pin leads to. */
export interface PinStep {
  readonly state: PinState;
  readonly pin: PartitionState['pin'];
  readonly write?: LedgerRecord;
  /** The pin's register is to be read again. */
  readonly reread?: true;
  /** The register reads as empty, and the store refuses the first pin all the same, also after it was read again. */
  readonly isContradicted: boolean;
  readonly wakeAt: Instant;
}

/** What happens to the pin: what happens to any register. */
export type PinInput = LedgerInput & { readonly kind: 'record' | 'end' | 'restarted' | 'wake' | 'written' };

/** What a member knows of the pin before its first input. */
export function newPin(self: Contender, at: Instant): PinState {
  return { self, fold: unread(at), sequence: 0, writeAt: longAgo, doubted: false, refusals: 0 };
}

/** One input, and a pin of our own where there is none yet. An observer (`mayWrite` false) leaves that to others. */
export function stepPin(rules: LedgerRules, before: PinState, input: PinInput, { now }: Moment, mayWrite: boolean): PinStep {
  const state = { ...before, ...learn(rules, before, input, now) };
  const next = decide(rules, state, now, mayWrite);
  const told = { ...next, isContradicted: next.state.refusals > 1 };
  return state.doubted && !before.doubted ? { ...told, reread: true } : told;
}

function decide(rules: LedgerRules, state: PinState, now: Instant, mayWrite: boolean): Omit<PinStep, 'isContradicted'> {
  const { fold, self, writeAt } = state;
  if (fold.kind === 'reading') return { state, pin: 'unknown', wakeAt: never };
  if (fold.effect !== null) return { state, pin: rules.agrees(fold.effect, self) ? 'agrees' : 'differs', wakeAt: never };
  if (!mayWrite) return { state, pin: 'unknown', wakeAt: never };
  if (now < writeAt) return { state, pin: 'unknown', wakeAt: writeAt };
  const next = { ...state, sequence: state.sequence + 1, writeAt: after(now, rules.renewMs(self.thresholdMs)) };
  return { state: next, pin: 'unknown', write: pinRecord(self, next.sequence), wakeAt: next.writeAt };
}

function learn(rules: LedgerRules, { fold, self, doubted, refusals }: PinState, input: PinInput, now: Instant): Partial<PinState> {
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
  // Another member's pin is there; until it has been read there is nothing to compare with.
  if (outcome !== 'refused' || fold.kind !== 'following' || fold.effect !== null) return {};
  // A refusal before the register was read again says nothing new.
  return { doubted: true, refusals: doubted ? refusals : refusals + 1 };
}

function learnEnd(fold: Fold, refusals: number): Partial<PinState> {
  return { fold, refusals: fold.kind === 'following' && fold.effect !== null ? 0 : refusals };
}

function doubtable({ fold, verdict }: Folded): Partial<PinState> {
  if (verdict === 'went-back') return { fold, doubted: true };
  return verdict === 'in-effect' ? { fold, refusals: 0 } : { fold };
}

function pinRecord(self: Contender, sequence: number): LedgerRecord {
  const { group, member, incarnation, thresholdMs, partitions, thresholdMsMax } = self;
  const id = `${member}/${incarnation}/pin.${sequence}`;
  const metadata = { partitions: String(partitions), thresholdMsMax: String(thresholdMsMax), guarantee: exclusive };
  return { group, partition: pinRegister, id, after: null, height: 0, member, incarnation, kind: 'pin', token: 0n, thresholdMs, metadata };
}
