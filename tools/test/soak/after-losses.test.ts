import { type MemberEvent, termRecordsOf, violationsOf } from '@leadership/testkit/faults';
import { expect, test } from 'vitest';
import { behindMs, isAfterLoss } from '../../src/soak/after-losses.ts';
import type { LossyPeriod } from '../../src/soak/environment.ts';

const ns = (ms: number): bigint => BigInt(ms) * 1_000_000n;
const thresholdMs = 100;

/** A member that began to lead at `at`, by a claim that it sent at `sent`. */
function leads(member: string, token: number, sent: number, at: number): MemberEvent {
  const term = { member, life: member, partition: 0, token: BigInt(token) };
  return { kind: 'acquired', ...term, atNs: ns(at), untilNs: ns(sent + thresholdMs) };
}

function lossy(from: number, to: number): readonly LossyPeriod[] {
  return [{ fault: 'a fault', fromNs: ns(from), toNs: ns(to) }];
}

/** Returns the rules that these terms contradict, and whether a loss is the reason. */
function judged(terms: readonly MemberEvent[], periods: readonly LossyPeriod[]) {
  return violationsOf(termRecordsOf(terms)).map((one) => [
    one.rule,
    isAfterLoss(one, periods, thresholdMs),
  ]);
}

const tokens: typeof judged = (...history) =>
  judged(...history).filter(([rule]) => rule === 'tokens-grow');

const together = [leads('a', 1, 1000, 1050), leads('b', 2, 1010, 1060)];

test('two leaders at once are excused only while the store may have lost writes', () => {
  expect(judged(together, lossy(1000, 1060))).toEqual([['one-believer', true]]);
  expect(judged(together, lossy(1061, 2000))).toEqual([['one-believer', false]]);
  expect(judged(together, [])).toEqual([['one-believer', false]]);
});

/** The claim with the lower token was sent first, and answered last. */
const crossed = [leads('a', 2, 1010, 1020), leads('b', 1, 1000, 1090)];

test('a lower token of a later term is excused if both claims were on their way at once in one such period', () => {
  expect(tokens(crossed, lossy(1000, 2000))).toEqual([['tokens-grow', true]]);
  expect(violationsOf(termRecordsOf(crossed)).map(behindMs)).toContain(70);
  expect(tokens(crossed, lossy(1021, 2000))).toEqual([['tokens-grow', false]]);
  expect(tokens(crossed, lossy(1000, 1089))).toEqual([['tokens-grow', false]]);
  expect(tokens(crossed, [...lossy(1000, 1050), ...lossy(1051, 2000)])).toEqual([
    ['tokens-grow', false],
  ]);
});

test('a lower token of a claim that was sent after the other term had begun is never excused', () => {
  const after = [leads('a', 2, 1010, 1020), leads('b', 1, 1021, 1090)];
  expect(tokens(after, lossy(1000, 2000))).toEqual([['tokens-grow', false]]);
  const unknown = { ...leads('b', 1, 1000, 1090), untilNs: undefined } as unknown as MemberEvent;
  const first = { ...unknown, kind: 'first-statement', detail: 'true' } as const;
  expect(tokens([crossed[0] as MemberEvent, unknown, first], lossy(1000, 2000))).toEqual([
    ['tokens-grow', false],
  ]);
});
