import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { thresholdMsLimit } from '../../src/engine/envelope.ts';
import { formatRecord, parseRecord, toRecord } from '../../src/ledger/envelope.ts';
import { foldEnd, foldRecord, inEffect, unread } from '../../src/ledger/protocol/fold.ts';
import { ledgerRules } from '../../src/ledger/protocol/rules.ts';
import { heightMax, holderOf, type LedgerRecord } from '../../src/ledger/record.ts';
import type { Instant } from '../../src/time/instant.ts';

/**
 * Records as past releases wrote them. Every later release must parse them with the same meaning
 * (L1).
 */
const frozen = {
  first:
    '{"group":"billing","partition":3,"id":"a/5f0c/3.1","after":null,"height":0,"member":"a","incarnation":"5f0c","kind":"hold","token":"1700000000000000","thresholdMs":3000}',
  renewal:
    '{"group":"billing","partition":3,"id":"a/5f0c/3.2","after":"a/5f0c/3.1","height":1,"member":"a","incarnation":"5f0c","kind":"hold","token":"1700000000000000","thresholdMs":3000,"metadata":{"url":"http://a:80"}}',
  handOver:
    '{"group":"billing","partition":3,"id":"a/5f0c/3.3","after":"a/5f0c/3.2","height":2,"member":"a","incarnation":"5f0c","kind":"release","token":"1700000000000001","thresholdMs":1500,"to":{"incarnation":"77aa","requestId":"b/77aa/3.9","member":"b"}}',
  release:
    '{"group":"billing","partition":3,"id":"b/77aa/3.10","after":"a/5f0c/3.3","height":3,"member":"b","incarnation":"77aa","kind":"release","token":"1700000000000001","thresholdMs":1500}',
  pin: '{"group":"billing","partition":-1,"id":"a/5f0c/pin.1","after":null,"height":0,"member":"a","incarnation":"5f0c","kind":"pin","token":"0","thresholdMs":3000,"metadata":{"partitions":"8","thresholdMsMax":"3000"}}',
  future:
    '{"version":7,"group":"billing","partition":3,"id":"c/x/1","after":"b/77aa/3.10","height":4,"member":"c","incarnation":"x","kind":"share","token":"1700000000000002","thresholdMs":2000.5,"to":["y"],"metadata":{"url":"u","load":0.5},"signature":{"alg":"none"}}',
};

const text = (name: keyof typeof frozen, change: Record<string, unknown> = {}): string =>
  JSON.stringify({ ...JSON.parse(frozen[name]), ...change });

describe('the frozen examples', () => {
  it('keep their meaning', () => {
    expect(parseRecord(frozen.first)).toEqual({
      group: 'billing',
      partition: 3,
      id: 'a/5f0c/3.1',
      after: null,
      height: 0,
      member: 'a',
      incarnation: '5f0c',
      kind: 'hold',
      token: 1700000000000000n,
      thresholdMs: 3000,
    });
    expect(parseRecord(frozen.renewal)?.metadata).toEqual({ url: 'http://a:80' });
    expect(parseRecord(frozen.handOver)?.to).toEqual({
      incarnation: '77aa',
      requestId: 'b/77aa/3.9',
      member: 'b',
    });
    expect(parseRecord(frozen.release)?.to).toBeUndefined();
    expect(parseRecord(frozen.pin)).toMatchObject({ partition: -1, kind: 'pin', token: 0n });
  });

  it('are written as they are read, except for fields that a future release added', () => {
    for (const name of ['first', 'renewal', 'handOver', 'release', 'pin'] as const) {
      const record = parseRecord(frozen[name]);
      expect(record && JSON.parse(formatRecord(record))).toEqual(JSON.parse(frozen[name]));
    }
  });

  it('fold into one chain whatever their version, and an unknown kind is a hold by another member (L1)', () => {
    const at = 0 as Instant;
    const chain = ['first', 'renewal', 'handOver', 'release', 'future'] as const;
    const holders = [];
    let fold = foldEnd(ledgerRules, 'log', unread(at), at).fold;
    for (const name of chain) {
      const record = parseRecord(frozen[name]);
      if (record) fold = foldRecord(ledgerRules, 'log', fold, record, at).fold;
      holders.push(holderOf(inEffect(fold))?.incarnation);
    }
    expect(holders).toEqual(['5f0c', '5f0c', '77aa', undefined, 'x']);
    expect(inEffect(fold)).toMatchObject({
      kind: 'share',
      thresholdMs: 2000.5,
      metadata: { url: 'u' },
    });
    expect(inEffect(fold)).not.toHaveProperty('to');
  });
});

describe('any record', () => {
  const name = fc.string({ minLength: 1 });
  const words = fc.dictionary(fc.string(), fc.string());
  const records: fc.Arbitrary<LedgerRecord> = fc
    .record(
      {
        group: name,
        partition: fc.integer({ min: -1 }),
        id: name,
        after: fc.option(name),
        height: fc.nat({ max: heightMax }),
        member: name,
        incarnation: name,
        kind: fc.oneof(fc.constantFrom('hold', 'release', 'pin'), fc.string()),
        token: fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }),
        thresholdMs: fc.double({ min: 1, max: thresholdMsLimit, noNaN: true }),
        to: fc.record(
          { incarnation: name, requestId: fc.string(), member: name },
          { noNullPrototype: true },
        ),
        metadata: words,
      },
      {
        requiredKeys: [
          'group',
          'partition',
          'id',
          'after',
          'height',
          'member',
          'incarnation',
          'kind',
          'token',
          'thresholdMs',
        ],
        noNullPrototype: true,
      },
    )
    .map((record) => record as LedgerRecord);

  it('is equal after formatting and parsing', () => {
    fc.assert(
      fc.property(records, (record) => {
        const { metadata, ...rest } = parseRecord(formatRecord(record)) ?? {};
        const { metadata: words, ...envelope } = record;
        expect(rest).toEqual(envelope);
        expect(metadata && Object.entries(metadata)).toEqual(words && Object.entries(words));
      }),
    );
  });
});

describe('text that is not an envelope never takes effect (L1)', () => {
  it.each<[string, string]>([
    ['nothing', ''],
    ['a truncated record', frozen.renewal.slice(0, -20)],
    ['null', 'null'],
    ['a number', '7'],
    ['a list', '[]'],
    ['a list with the fields of a record', `[${frozen.first}]`],
    ['a height below zero', text('first', { height: -1 })],
    ['a broken height', text('first', { height: 0.5 })],
    ['a height beyond what is exact', text('first', { height: 2 ** 53 })],
    ['a height that leaves no room for later ones', text('first', { height: 2 ** 53 - 1 })],
    ['a height in words', text('first', { height: '0' })],
    ['a fractional partition', text('first', { partition: 1.5 })],
    ['no group', text('first', { group: undefined })],
    ['a group that is an object', text('first', { group: { toString: 'g' } })],
    ['a numeric id', text('first', { id: 7 })],
    ['no after', text('first', { after: undefined })],
    ['an after that is a number', text('first', { after: 7 })],
    ['a kind that is not a string', text('first', { kind: null })],
    ['a token of 20 digits', text('first', { token: '1'.repeat(20) })],
    [
      'a token of 20 digits, leading zeros included',
      text('first', { token: '1'.padStart(20, '0') }),
    ],
    ['a token of a megabyte', text('first', { token: '1'.repeat(1_000_000) })],
    ['a token beyond a signed 64-bit column', text('first', { token: String(2n ** 63n) })],
    ['a token below zero', text('first', { token: '-1' })],
    ['a token that is a number', text('first', { token: 1 })],
    ['a token in hexadecimal', text('first', { token: '0x10' })],
    ['an empty token', text('first', { token: '' })],
    ['a token with a line break', text('first', { token: '1\n' })],
    ['no T', text('first', { thresholdMs: undefined })],
    ['a T of zero', text('first', { thresholdMs: 0 })],
    ['a T below zero', text('first', { thresholdMs: -1 })],
    ['a T of more than a day', text('first', { thresholdMs: thresholdMsLimit + 1 })],
    ['an infinite T', frozen.first.replace('3000', '1e999')],
    ['very deep nesting', '['.repeat(200_000)],
    [
      'very deep nesting inside a record',
      text('first', { group: 0 }).replace('0', `${'['.repeat(50_000)}${']'.repeat(50_000)}`),
    ],
  ])('%s', (_, hostile) => {
    expect(parseRecord(hostile)).toBeUndefined();
  });

  it('includes everything that is not JSON', () => {
    fc.assert(fc.property(fc.string(), (garbage) => parseRecord(garbage) === undefined));
    fc.assert(fc.property(fc.anything(), (data) => toRecord(data) === undefined));
  });
});

describe('a hostile envelope that parses', () => {
  it('keeps only string metadata, with prototype keys as plain ones', () => {
    const record = parseRecord(
      text('first').replace('}', ',"metadata":{"__proto__":"p","constructor":"c","n":1,"o":{}}}'),
    );
    expect(Object.entries(record?.metadata ?? {})).toEqual([
      ['__proto__', 'p'],
      ['constructor', 'c'],
    ]);
    expect(Object.getPrototypeOf(record?.metadata)).toBe(Object.prototype);
  });

  it('inherits nothing from its prototype', () => {
    const inherited = JSON.parse(`{"__proto__":${frozen.first}}`);
    expect(toRecord(inherited)).toBeUndefined();
  });

  it('has no delegate without an incarnation, and names a delegate without a name by its incarnation', () => {
    expect(parseRecord(text('handOver', { to: {} }))?.to).toBeUndefined();
    expect(parseRecord(text('handOver', { to: null }))?.to).toBeUndefined();
    expect(parseRecord(text('handOver', { to: { incarnation: 'x' } }))?.to).toEqual({
      incarnation: 'x',
      requestId: '',
      member: 'x',
    });
  });
});

describe('what a member writes', () => {
  const names = fc.string({ unit: 'binary', maxLength: 20 });
  const numbers = fc.oneof(fc.integer(), fc.double(), fc.constantFrom(2 ** 53, -0, 86_400_001));
  const record = fc.record(
    {
      group: names,
      id: names,
      member: names,
      incarnation: names,
      kind: fc.oneof(fc.constantFrom('hold', 'release', 'pin'), names),
      after: fc.option(names),
      partition: numbers,
      height: numbers,
      thresholdMs: numbers,
      token: fc.bigInt({ min: -2n, max: 2n ** 64n }),
      to: fc.record({ incarnation: names, requestId: names, member: names }),
      metadata: fc.dictionary(
        fc.string().filter((name) => name !== '__proto__'),
        names,
      ),
    },
    { requiredKeys: [] },
  );
  const known = JSON.parse(frozen.first) as LedgerRecord;

  it('is what its own parser reads, in every field, or it is not written', () => {
    fc.assert(
      fc.property(record, (change) => {
        const written = { ...known, token: 1n, ...change } as LedgerRecord;
        let formatted: string;
        try {
          formatted = formatRecord(written);
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError);
          return;
        }
        const { partition, height, ...rest } = written;
        expect(parseRecord(formatted)).toEqual({
          ...rest,
          // JSON has no negative zero.
          partition: partition + 0,
          height: height + 0,
        });
      }),
      { numRuns: 2000 },
    );
  });

  it.each([2n ** 63n, -1n])('is not a token of %s, which no member could read', (token) => {
    expect(() => formatRecord({ ...known, token })).toThrow('no member could read this record');
  });
});
