import {
  formatRecord,
  type LeaseRequest,
  type LedgerRecord,
  pinRegister,
} from '@leadership/core/internal/lease';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatLeaveNotice } from '../../src/topic/leave-notice.ts';
import {
  formatLeaseRequest,
  parseRecord,
  registersIn,
  topicPartitionOf,
} from '../../src/topic/record-format.ts';

const leaseRequest: LeaseRequest = {
  partition: 2,
  id: 'm/i/2.1',
  incarnation: 'i',
  member: 'm',
  thresholdMs: 1000,
};

function record(partition: number): LedgerRecord {
  const names = { group: 'g', id: 'm/i/1', member: 'm', incarnation: 'i', kind: 'hold' };
  return { ...names, partition, after: null, height: 0, token: 5n, thresholdMs: 1000 };
}

const bytes = (text: string): Uint8Array => Buffer.from(text);

describe('a record on the topic', () => {
  it('belongs to the chain of its partition; pins are in partition 0', () => {
    expect(parseRecord(2, bytes(formatRecord(record(2))))).toEqual({
      kind: 'record',
      group: 'g',
      record: record(2),
    });
    expect(parseRecord(0, bytes(formatRecord(record(pinRegister))))).toMatchObject({
      kind: 'record',
    });
    expect(registersIn(0)).toEqual([pinRegister, 0]);
    expect(registersIn(3)).toEqual([3]);
    expect(topicPartitionOf(pinRegister)).toBe(0);
  });

  it('never takes effect in another partition', () => {
    for (const place of [0, 1, 3])
      expect(parseRecord(place, bytes(formatRecord(record(2)))).kind).toBe('ignored');
    expect(parseRecord(1, bytes(formatRecord(record(pinRegister)))).kind).toBe('ignored');
  });

  it('L1: is never read as a lease request or a leave notice, nor are those read as records, whatever other fields they have', () => {
    expect(parseRecord(2, bytes(formatLeaseRequest('g', leaseRequest)))).toEqual({
      kind: 'lease-request',
      group: 'g',
      request: leaseRequest,
    });
    expect(parseRecord(0, bytes(formatLeaseRequest('g', leaseRequest))).kind).toBe('ignored');
    expect(
      parseRecord(0, bytes(formatLeaveNotice('g', { incarnation: 'i', session: 1 }))),
    ).toMatchObject({ kind: 'leave-notice' });
    const both = JSON.stringify({ ...JSON.parse(formatRecord(record(2))), leaseRequest });
    expect(parseRecord(2, bytes(both)).kind).toBe('record');
  });

  it('is never parsed from other data, and parsing never throws', () => {
    expect(parseRecord(0, null).kind).toBe('ignored');
    const jsonish = fc.oneof(fc.json().map(bytes), fc.uint8Array(), fc.string().map(bytes));
    fc.assert(
      fc.property(
        jsonish,
        fc.nat(3),
        (value, partition) => parseRecord(partition, value).kind === 'ignored',
      ),
    );
    const nearly = fc.record(
      {
        group: fc.anything(),
        leaseRequest: fc.oneof(
          fc.anything(),
          fc.record({ partition: fc.anything(), id: fc.anything() }),
        ),
        leaveNotice: fc.anything(),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(nearly, (data) => {
        const text =
          JSON.stringify(data, (_key, value) =>
            typeof value === 'bigint' ? String(value) : value,
          ) ?? '';
        return parseRecord(0, bytes(text)).kind !== 'record';
      }),
    );
  });
});
