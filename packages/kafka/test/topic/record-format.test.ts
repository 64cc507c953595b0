import { formatRecord, type LedgerRecord, pinRegister } from '@leadership/core/internal/lease';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parsePin } from '../../src/topic/record-format.ts';

function record(partition: number): LedgerRecord {
  const names = { group: 'g', id: 'm/i/1', member: 'm', incarnation: 'i', kind: 'pin' };
  return { ...names, partition, after: null, height: 0, token: 5n, thresholdMs: 1000 };
}

const bytes = (text: string): Uint8Array => Buffer.from(text);

describe('a pin on the topic', () => {
  it('is a record of no partition', () => {
    expect(parsePin(bytes(formatRecord(record(pinRegister))))).toEqual(record(pinRegister));
    expect(parsePin(bytes(formatRecord(record(0))))).toBeUndefined();
  });

  it('is never parsed from other data, and parsing never throws', () => {
    expect(parsePin(null)).toBeUndefined();
    const jsonish = fc.oneof(fc.json().map(bytes), fc.uint8Array(), fc.string().map(bytes));
    fc.assert(fc.property(jsonish, (value) => parsePin(value) === undefined));
  });
});
