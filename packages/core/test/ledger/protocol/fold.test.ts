import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  foldConfirmed,
  foldEnd,
  foldRecord,
  foldRestarted,
  inEffect,
  unread,
} from '../../../src/ledger/protocol/fold.ts';
import { ledgerRules } from '../../../src/ledger/protocol/rules.ts';
import type { Fold } from '../../../src/ledger/protocol/state.ts';
import type { LedgerRecord } from '../../../src/ledger/record.ts';
import type { Instant } from '../../../src/time/instant.ts';
import { strangers } from '../../support/steered-ledger.ts';

const now = 0 as Instant;

/**
 * A log of several writers. Each record names the record in effect at the writer's last read, which
 * may be outdated.
 */
const logs = fc.array(fc.nat(5), { maxLength: 40 }).map((lookedBack) => {
  const log: LedgerRecord[] = [];
  const effects: (LedgerRecord | null)[] = [];
  for (const [index, back] of lookedBack.entries()) {
    const named = effects[index - 1 - back] ?? (back <= index ? null : (effects.at(-1) ?? null));
    const record = strangers(named ?? undefined, { id: `r${index}` });
    log.push(record);
    effects.push(dumb(effects.at(-1) ?? null, record));
  }
  return { log, effects };
});

/**
 * The rule in one line (L1): a record takes effect if and only if it names the record in effect.
 */
function dumb(effect: LedgerRecord | null, record: LedgerRecord): LedgerRecord | null {
  return record.after === (effect?.id ?? null) ? record : effect;
}

function read(shape: 'log' | 'register', fold: Fold, records: readonly LedgerRecord[]): Fold {
  return records.reduce(
    (sofar, record) => foldRecord(ledgerRules, shape, sofar, record, now).fold,
    fold,
  );
}

const end = (fold: Fold): Fold => foldEnd(ledgerRules, 'log', fold, now).fold;

describe('the fold of a log', () => {
  it('agrees with the one-line rule, record by record (L1)', () => {
    fc.assert(
      fc.property(logs, ({ log, effects }) => {
        let fold = end(unread(now));
        for (const [index, record] of log.entries()) {
          fold = foldRecord(ledgerRules, 'log', fold, record, now).fold;
          expect(inEffect(fold)?.id).toBe(effects[index]?.id);
        }
      }),
    );
  });

  it('is the same for readers that start at any record up to the one in effect (L10)', () => {
    fc.assert(
      fc.property(logs, fc.nat(), fc.nat(), ({ log, effects }, someCut, someEnd) => {
        if (log.length === 0) return;
        const readTo = someEnd % log.length;
        const current = log.findIndex(({ id }) => id === effects[readTo]?.id);
        const cut = someCut % (current + 1);
        let fold = end(read('log', unread(now), log.slice(cut, readTo + 1)));
        expect(inEffect(fold)?.id).toBe(effects[readTo]?.id);
        for (let index = readTo + 1; index < log.length; index += 1) {
          const record = log[index];
          if (record) fold = foldRecord(ledgerRules, 'log', fold, record, now).fold;
          expect(inEffect(fold)?.id).toBe(effects[index]?.id);
        }
      }),
    );
  });

  it('is confirmed by rereading the same log, and proved wrong if the tail of the log was lost (L11)', () => {
    fc.assert(
      fc.property(logs, fc.nat(), ({ log, effects }, someLoss) => {
        const whole = end(read('log', unread(now), log));
        const again = foldEnd(ledgerRules, 'log', read('log', foldRestarted(whole, now), log), now);
        expect([again.verdict, inEffect(again.fold)?.id]).toEqual(['nothing', effects.at(-1)?.id]);
        const kept = log.slice(0, someLoss % (log.length + 1));
        const isLost =
          effects.at(-1) !== undefined && !kept.some(({ id }) => id === effects.at(-1)?.id);
        const cut = foldEnd(ledgerRules, 'log', read('log', foldRestarted(whole, now), kept), now);
        expect(cut.verdict).toBe(isLost ? 'proved-wrong' : 'nothing');
      }),
    );
  });

  it('is proved wrong by a record above the next height, and by one that names an unknown record (L12)', () => {
    const [first, second] = [
      strangers(undefined, { id: 'r0' }),
      strangers(undefined, { id: 'r1', height: 1, after: 'r0' }),
    ];
    const fold = read('log', end(unread(now)), [first, second]);
    const verdict = (record: LedgerRecord): string =>
      foldRecord(ledgerRules, 'log', fold, record, now).verdict;
    expect(verdict(strangers(second, { height: 5 }))).toBe('proved-wrong');
    expect(verdict(strangers(undefined, { id: 'x', height: 2, after: 'unknown' }))).toBe(
      'proved-wrong',
    );
    expect(verdict(strangers(undefined, { id: 'x', height: 1, after: 'unknown' }))).toBe('nothing');
    expect(verdict(strangers(undefined, { id: 'x', height: 0 }))).toBe('nothing');
  });

  it('is proved wrong by a record that names one that lost here: its writer found that one in effect (L12)', () => {
    const [first, second] = [
      strangers(undefined, { id: 'r0' }),
      strangers(undefined, { id: 'r1', height: 1, after: 'r0' }),
    ];
    const loser = strangers(first, { id: 'copy of a lost one', height: 1 });
    const follower = strangers(loser, { id: 'x', height: 2 });
    const fold = read('log', end(unread(now)), [first, second, loser]);
    expect(inEffect(fold)?.id).toBe('r1');
    expect(foldRecord(ledgerRules, 'log', fold, follower, now).verdict).toBe('proved-wrong');
    // A reader that starts now finds the same record in effect as the reader that starts over
    // (L10).
    expect(inEffect(end(read('log', unread(now), [first, second, loser, follower])))?.id).toBe('x');
  });

  it('treats a record with the right name but the wrong height as one with an unknown name', () => {
    const first = strangers(undefined, { id: 'r0', height: 3 });
    const fold = end(read('log', unread(now), [first]));
    const forged = strangers(first, { id: 'r1', height: 2 });
    expect(foldRecord(ledgerRules, 'log', fold, forged, now).verdict).toBe('nothing');
  });

  it('mistrusts the log from the moment that proved it wrong, also where the store confirms a record before the end is read (L11, L12)', () => {
    const at = 7 as Instant;
    const { fold } = foldRecord(
      ledgerRules,
      'log',
      end(unread(now)),
      strangers(undefined, { height: 5 }),
      at,
    );
    const confirmed = foldConfirmed(ledgerRules, fold, strangers(undefined, { height: 6 }), at, at);
    expect(confirmed.fold).toMatchObject({ kind: 'following', waits: { mistrustedSince: at } });
  });
});

describe('the fold of a register', () => {
  it('agrees with the store, whichever versions are skipped or repeated (L1)', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(30)), (shown) => {
        const versions = Array.from({ length: 31 }, (_, height) =>
          strangers(undefined, {
            id: `v${height}`,
            height,
            after: height ? `v${height - 1}` : null,
          }),
        );
        const seen = shown
          .map((height) => versions[height])
          .filter((record) => record !== undefined);
        const fold = read('register', end(unread(now)), seen);
        expect(inEffect(fold)?.height).toBe(shown.length === 0 ? undefined : Math.max(...shown));
      }),
    );
  });
});
