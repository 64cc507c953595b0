// Which of the records that a member has read is the current one. A register keeps one partition's
// lease as a chain of numbered records; a record's number is its height. Part of the machine in
// `step.ts`, also for observers.
//
// The fold decides which record of a register is in effect. Every reader runs the same fold.
//
//   reading   — from the register's start: the earliest record of the greatest height so far (L10)
//   following — after the end was read. A log contains every attempt: the next record in effect
//               names the current one (L1). A register shows only the current record: a higher
//               one is in effect. A lower one contradicts earlier reads: the store went back, and
//               the register must be read again (L11).
//
// Two observations prove the fold wrong: a log that contradicts the folded records (L12), and a
// restarted log that no longer contains the record that was in effect (L11). Then the leader is
// fenced, and all waits start again.
import type { Instant } from '../../time/instant.ts';
import type { LedgerRecord } from '../record.ts';
import type { LedgerRules } from './rules.ts';
import type { Fold, Found, Waits } from './state.ts';

/** The effect of a record, or of the end, on the fold. */
type Verdict = 'nothing' | 'in-effect' | 'proved-wrong' | 'went-back';

export interface Folded {
  readonly fold: Fold;
  readonly verdict: Verdict;
}

/** Returns the fold of a reader that has read nothing. */
export function unread(at: Instant): Fold & { readonly kind: 'reading' } {
  return reading(at, null, undefined);
}

/**
 * Returns the fold after a proof that it was wrong: reading starts again, and history may be
 * missing.
 */
function startedOver(at: Instant): Fold {
  return reading(at, null, { arrivedAt: at, mistrustedSince: at });
}

/**
 * Returns the record in effect to act on. During a reread that is the record that was in effect
 * before.
 */
export function inEffect(fold: Fold): LedgerRecord | null {
  return fold.kind === 'following' ? fold.effect : fold.before;
}

/**
 * Returns the fold after the position was lost: the record in effect is uncertain until the
 * register was read to its end again (L11).
 */
export function foldRestarted(fold: Fold, at: Instant): Fold {
  const waitsBefore = fold.kind === 'following' ? fold.waits : fold.waitsBefore;
  return reading(at, inEffect(fold), waitsBefore);
}

function reading(
  since: Instant,
  before: LedgerRecord | null,
  waitsBefore: Waits | undefined,
): Fold & { readonly kind: 'reading' } {
  return {
    kind: 'reading',
    since,
    best: null,
    arrivedAt: since,
    before,
    found: 'nothing',
    waitsBefore,
  };
}

/** Returns the fold after the next record of the register. */
export function foldRecord(
  rules: LedgerRules,
  shape: 'register' | 'log',
  fold: Fold,
  record: LedgerRecord,
  at: Instant,
): Folded {
  if (fold.kind === 'reading') return { fold: readOn(rules, fold, record, at), verdict: 'nothing' };
  const takesEffect =
    shape === 'log' ? rules.takesEffect(fold.effect, record) : rules.precedes(record, fold.effect);
  if (takesEffect) {
    const mistrustedSince = rules.mistrustedAfterRecord(fold.waits.mistrustedSince);
    return { fold: following(record, { arrivedAt: at, mistrustedSince }), verdict: 'in-effect' };
  }
  if (shape === 'register')
    return { fold, verdict: rules.wentBack(fold.effect, record) ? 'went-back' : 'nothing' };
  if (rules.provesFoldWrong(fold.effect, record))
    return { fold: startedOver(at), verdict: 'proved-wrong' };
  return { fold, verdict: 'nothing' };
}

/**
 * Returns the fold after the store confirmed that `record`, sent at `sentAt`, is current (L3).
 * Ignores the answer to a write that was sent before the position was lost: that store may no
 * longer exist, and the reread decides.
 */
export function foldConfirmed(
  rules: LedgerRules,
  fold: Fold,
  record: LedgerRecord,
  sentAt: Instant,
  at: Instant,
): Folded {
  const known = fold.kind === 'following' ? fold.effect : fold.best;
  const isOld = fold.kind === 'reading' && sentAt < fold.since;
  if (isOld || !rules.precedes(record, known)) return { fold, verdict: 'nothing' };
  // The store may have lost records until it confirmed this one, so the waits count from then (L11).
  const waits =
    fold.kind === 'following'
      ? { arrivedAt: at, mistrustedSince: fold.waits.mistrustedSince }
      : rules.afterReading(at, fold.waitsBefore, 'register');
  return { fold: following(record, waits), verdict: 'in-effect' };
}

/** Returns the fold after the end of the register: the best record that was read is in effect. */
export function foldEnd(
  rules: LedgerRules,
  shape: 'register' | 'log',
  fold: Fold,
  at: Instant,
): Folded {
  if (fold.kind === 'following') return { fold, verdict: 'nothing' };
  const { best, before, found, waitsBefore } = fold;
  if (!rules.confirms(best, before, found))
    return {
      fold: following(best, { arrivedAt: at, mistrustedSince: at }),
      verdict: 'proved-wrong',
    };
  // A record that a log lost between two pages of one reading was still there when the first page
  // arrived, so a log counts from the end.
  const readAt = best === null || shape === 'log' ? at : fold.arrivedAt;
  return {
    fold: following(best, rules.afterReading(readAt, waitsBefore, shape)),
    verdict: best?.id === before?.id ? 'nothing' : 'in-effect',
  };
}

function readOn(
  rules: LedgerRules,
  fold: Fold & { kind: 'reading' },
  record: LedgerRecord,
  at: Instant,
): Fold {
  const { since, before, waitsBefore } = fold;
  const isBetter = rules.precedes(record, fold.best);
  const best = isBetter ? record : fold.best;
  const arrivedAt = isBetter ? at : fold.arrivedAt;
  return {
    kind: 'reading',
    since,
    best,
    arrivedAt,
    before,
    found: foundWith(fold, record),
    waitsBefore,
  };
}

function foundWith({ before, found }: Fold & { kind: 'reading' }, record: LedgerRecord): Found {
  if (before === null || found === 'itself') return found;
  if (record.id === before.id) return 'itself';
  return record.height <= before.height ? 'older' : found;
}

function following(effect: LedgerRecord | null, waits: Waits): Fold {
  return { kind: 'following', effect, waits };
}
