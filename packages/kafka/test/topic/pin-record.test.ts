import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parsePin, pinText } from '../../src/topic/pin-record.ts';
import { answerOfFirstReleases, publishedPin } from '../support/first-releases.ts';

const bytes = (text: string): Uint8Array => Buffer.from(text);

const changed = (change: Record<string, unknown>): string =>
  JSON.stringify({ ...JSON.parse(publishedPin), ...change });

const own = { group: 'old', partitions: 2, thresholdMsMax: 500 };
const written = (guarantee: string): string =>
  pinText({ ...own, member: 'm', incarnation: 'i', thresholdMs: 500, guarantee }, 1);

describe('a pin on the topic (R3)', () => {
  it('is read as the first releases wrote it', () => {
    expect(parsePin(bytes(publishedPin))).toEqual(JSON.parse(publishedPin));
  });

  it.each([
    ['a pin of their own', publishedPin, 'agrees'],
    ['the pin of a lease before sessions', written('exclusive'), 'agrees'],
    ['the pin of a lease by session', written('exclusive by session'), 'refuses'],
    ['the pin of a continuous group', written('continuous'), 'refuses'],
    ['the pin of another group', changed({ group: 'new' }), 'ignores'],
  ])('%s is what the first releases understand', (_, text, answer) => {
    expect(answerOfFirstReleases(text, own)).toBe(answer);
  });

  it('is read whatever a later release adds to it', () => {
    const later = changed({ version: 7, kind: 'rule', metadata: { guarantee: 'g', load: 0.5 } });
    expect(parsePin(bytes(later))).toEqual({
      ...JSON.parse(publishedPin),
      kind: 'rule',
      metadata: { guarantee: 'g' },
    });
  });

  it.each<[string, string]>([
    ['a record of a partition', changed({ partition: 0 })],
    ['a truncated pin', publishedPin.slice(0, -20)],
    ['a list with the fields of a pin', `[${publishedPin}]`],
    ['a pin inside a prototype', `{"__proto__":${publishedPin}}`],
    ['a height below zero', changed({ height: -1 })],
    ['a broken height', changed({ height: 0.5 })],
    ['a height that leaves no room for later ones', changed({ height: 2 ** 53 - 1 })],
    ['a height in words', changed({ height: '0' })],
    ['no group', changed({ group: undefined })],
    ['a group that is an object', changed({ group: { toString: 'g' } })],
    ['a numeric id', changed({ id: 7 })],
    ['no after', changed({ after: undefined })],
    ['an after that is a number', changed({ after: 7 })],
    ['a kind that is not a string', changed({ kind: null })],
    ['a token of 20 digits', changed({ token: '1'.padStart(20, '0') })],
    ['a token of a megabyte', changed({ token: '1'.repeat(1_000_000) })],
    ['a token beyond a signed 64-bit column', changed({ token: String(2n ** 63n) })],
    ['a token that is a number', changed({ token: 1 })],
    ['a token with a line break', changed({ token: '1\n' })],
    ['no T', changed({ thresholdMs: undefined })],
    ['a T of zero', changed({ thresholdMs: 0 })],
    ['a T of more than a day', changed({ thresholdMs: 86_400_001 })],
    ['very deep nesting', '['.repeat(200_000)],
  ])('is not %s', (_, text) => {
    expect(parsePin(bytes(text))).toBeUndefined();
    expect(answerOfFirstReleases(text, own)).toBe('ignores');
  });

  it('is never parsed from other data, and parsing never throws', () => {
    expect(parsePin(null)).toBeUndefined();
    const jsonish = fc.oneof(fc.json().map(bytes), fc.uint8Array(), fc.string().map(bytes));
    fc.assert(fc.property(jsonish, (value) => parsePin(value) === undefined));
  });

  it('is read by this release where the first releases read it, and nowhere else', () => {
    const numbers = fc.oneof(fc.integer(), fc.double(), fc.constantFrom(2 ** 52, -0, 86_400_000));
    const change = fc.record(
      {
        id: fc.oneof(fc.string(), fc.anything()),
        after: fc.oneof(fc.option(fc.string()), fc.anything()),
        kind: fc.oneof(fc.string(), fc.anything()),
        token: fc.oneof(fc.bigInt().map(String), fc.stringMatching(/^\d{1,20}$/), fc.anything()),
        height: numbers,
        thresholdMs: numbers,
        metadata: fc.anything(),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(change, (fields) => {
        const text = changed(fields);
        const isRead = parsePin(bytes(text)) !== undefined;
        expect(isRead).toBe(answerOfFirstReleases(text, own) !== 'ignores');
      }),
      { numRuns: 2000 },
    );
  });
});
