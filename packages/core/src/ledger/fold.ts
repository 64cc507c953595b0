// The fold decides, the same for every reader, which record of a register is in effect.
//
//   reading   — from wherever the register starts: the earliest of the greatest height so far (L10)
//   following — read to the end. A log shows every attempt: the next in effect is the one that names the current (L1).
//               A register shows only what is current: whatever is higher is. Whatever is lower contradicts what was read
//               before: the store went back, and the register has to be read again (L11).
//
// A log that contradicts what was folded (L12), or does not bear out what was read before it was restarted (L11), proves
// the fold wrong: whoever believes stops, and waits count anew.
import type { Instant } from '../time/instant.ts';
import type { LedgerRecord } from './record.ts';
import type { LedgerRules } from './rules.ts';

/** What the waits of candidates go by (L5). */
export interface Waits {
  /** When the reply that brought what is in effect arrived; for nothing in effect, when the end was read. */
  readonly arrivedAt: Instant;
  /**
   * Since when history may have been missing. Whoever led by what went missing believes for no longer than the group's cap
   * from then on: no record shortens that, for its writer may not know yet (L11).
   */
  readonly mistrustedSince: Instant | undefined;
}

/** What one reader knows of a register. */
export type Fold =
  | {
      readonly kind: 'reading';
      readonly since: Instant;
      readonly best: LedgerRecord | null;
      readonly arrivedAt: Instant;
      /** What was in effect before the register was restarted, until the end shows whether it still is. */
      readonly before: LedgerRecord | null;
      readonly found: Found;
      readonly waitsBefore: Waits | undefined;
    }
  | {
      readonly kind: 'following';
      readonly effect: LedgerRecord | null;
      readonly waits: Waits;
    };

/**
 * What of `before` a register that is read again still shows: the record itself, or only records as old as it, among which it
 * should have been. Where nothing as old is left, it may just have been cut off (L10).
 */
export type Found = 'nothing' | 'older' | 'itself';

/** What a record, or the end, meant to the fold. */
type Verdict = 'nothing' | 'in-effect' | 'proved-wrong' | 'went-back';

export interface Folded {
  readonly fold: Fold;
  readonly verdict: Verdict;
}

/** The fold of one who has read nothing. */
export function unread(at: Instant): Fold & { readonly kind: 'reading' } {
  return reading(at, null, undefined);
}

/** The fold of one whose fold was proved wrong, and starts over. */
function startedOver(at: Instant): Fold {
  return reading(at, null, { arrivedAt: at, mistrustedSince: at });
}

/** What is in effect as far as one may act on it: while rereading, what was before. */
export function inEffect(fold: Fold): LedgerRecord | null {
  return fold.kind === 'following' ? fold.effect : fold.before;
}

/** The position was lost: what is in effect is in doubt until the register has been read to its end again (L11). */
export function foldRestarted(fold: Fold, at: Instant): Fold {
  const waitsBefore = fold.kind === 'following' ? fold.waits : fold.waitsBefore;
  return reading(at, inEffect(fold), waitsBefore);
}

function reading(since: Instant, before: LedgerRecord | null, waitsBefore: Waits | undefined): Fold & { readonly kind: 'reading' } {
  return { kind: 'reading', since, best: null, arrivedAt: since, before, found: 'nothing', waitsBefore };
}

/** The fold after one more record of the register. */
export function foldRecord(rules: LedgerRules, shape: 'register' | 'log', fold: Fold, record: LedgerRecord, at: Instant): Folded {
  if (fold.kind === 'reading') return { fold: readOn(rules, fold, record, at), verdict: 'nothing' };
  const takesEffect = shape === 'log' ? rules.takesEffect(fold.effect, record) : rules.precedes(record, fold.effect);
  if (takesEffect) {
    const mistrustedSince = rules.mistrustedAfterRecord(fold.waits.mistrustedSince);
    return { fold: following(record, { arrivedAt: at, mistrustedSince }), verdict: 'in-effect' };
  }
  if (shape === 'register') return { fold, verdict: rules.wentBack(fold.effect, record) ? 'went-back' : 'nothing' };
  if (rules.provesFoldWrong(fold.effect, record)) return { fold: startedOver(at), verdict: 'proved-wrong' };
  return { fold, verdict: 'nothing' };
}

/**
 * The store itself compared what was sent at `sentAt`, and says that it is current (L3). An answer to a write from before the
 * position was lost may be about a store that is no more: what is read decides then.
 */
export function foldConfirmed(rules: LedgerRules, fold: Fold, record: LedgerRecord, sentAt: Instant, at: Instant): Folded {
  const known = fold.kind === 'following' ? fold.effect : fold.best;
  const isOld = fold.kind === 'reading' && sentAt < fold.since;
  if (isOld || !rules.precedes(record, known)) return { fold, verdict: 'nothing' };
  return { fold: following(record, { arrivedAt: at, mistrustedSince: mistrustOf(fold) }), verdict: 'in-effect' };
}

function mistrustOf(fold: Fold): Instant | undefined {
  if (fold.kind === 'following') return fold.waits.mistrustedSince;
  return fold.waitsBefore === undefined ? undefined : fold.since;
}

/** The register has been read to its end: what was read is what is in effect. */
export function foldEnd(rules: LedgerRules, shape: 'register' | 'log', fold: Fold, at: Instant): Folded {
  if (fold.kind === 'following') return { fold, verdict: 'nothing' };
  const { best, before, found, waitsBefore } = fold;
  if (!rules.bearsOut(best, before, found))
    return { fold: following(best, { arrivedAt: at, mistrustedSince: at }), verdict: 'proved-wrong' };
  // What a log lost between two pages of one reading was there when the first arrived.
  const readAt = best === null || shape === 'log' ? at : fold.arrivedAt;
  return {
    fold: following(best, rules.afterReading(readAt, waitsBefore, shape)),
    verdict: best?.id === before?.id ? 'nothing' : 'in-effect',
  };
}

function readOn(rules: LedgerRules, fold: Fold & { kind: 'reading' }, record: LedgerRecord, at: Instant): Fold {
  const { since, before, waitsBefore } = fold;
  const isBetter = rules.precedes(record, fold.best);
  const best = isBetter ? record : fold.best;
  const arrivedAt = isBetter ? at : fold.arrivedAt;
  return { kind: 'reading', since, best, arrivedAt, before, found: foundWith(fold, record), waitsBefore };
}

function foundWith({ before, found }: Fold & { kind: 'reading' }, record: LedgerRecord): Found {
  if (before === null || found === 'itself') return found;
  if (record.id === before.id) return 'itself';
  return record.height <= before.height ? 'older' : found;
}

function following(effect: LedgerRecord | null, waits: Waits): Fold {
  return { kind: 'following', effect, waits };
}
