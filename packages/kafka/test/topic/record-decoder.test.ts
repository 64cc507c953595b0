import { LeadershipError } from '@leadership/core';
import type { Instant } from '@leadership/core/adapter';
import {
  formatRecord,
  type LeaseRequest,
  type LedgerEvent,
  type LedgerRecord,
  pinRegister,
} from '@leadership/core/internal/lease';
import { describe, expect, it } from 'vitest';
import type { FetchedPartition } from '../../src/connection/fetched-partition.ts';
import { startAt, take } from '../../src/topic/cursor.ts';
import { formatLeaveNotice } from '../../src/topic/leave-notice.ts';
import type { Extent } from '../../src/topic/pruning.ts';
import { RecordDecoder } from '../../src/topic/record-decoder.ts';
import { formatLeaseRequest } from '../../src/topic/record-format.ts';
import { drained } from '../support/drained.ts';

const now = 5 as Instant;

function record(changes: Partial<LedgerRecord> = {}): LedgerRecord {
  const names = { group: 'g', id: 'm/i/1', member: 'm', incarnation: 'i', kind: 'hold' };
  return {
    ...names,
    partition: 0,
    after: null,
    height: 0,
    token: 5n,
    thresholdMs: 1000,
    ...changes,
  };
}

const leaseRequest: LeaseRequest = {
  partition: 0,
  id: 'm/i/0.1',
  incarnation: 'i',
  member: 'm',
  thresholdMs: 1000,
};

/** An intake of two partitions, with a function that passes it fetched values. */
function fed() {
  const followed: Extent[] = [];
  const decoder = new RecordDecoder('g', 2, (extent) => void followed.push(extent));
  const queue = decoder.begin();
  const offsets = new Map<number, number>();
  const feed = (partition: number, values: readonly (string | null)[], end = true): void => {
    const first = offsets.get(partition) ?? 0;
    offsets.set(partition, first + values.length);
    const fetched: FetchedPartition = {
      partition,
      logStart: 0n,
      highWatermark: BigInt(first + values.length + (end ? 0 : 1)),
      records: values.map((value, index) => ({
        offset: BigInt(first + index),
        nextOffset: BigInt(first + index + 1),
        value: value === null ? null : Buffer.from(value),
        writtenMs: 0,
        stampedMs: undefined,
        epoch: 1,
        isControl: false,
      })),
    };
    const cursor = decoder.cursors.get(partition);
    if (cursor === undefined) throw new Error('there is no such partition');
    const taken = take(
      cursor.position === undefined ? startAt(cursor, BigInt(first)) : cursor,
      fetched,
      now,
    );
    decoder.cursors.set(partition, taken.cursor);
    decoder.taken(taken, fetched, now);
  };
  return { decoder, feed, followed, events: () => drained<LedgerEvent>(queue) };
}

describe('the record decoder of a topic', () => {
  it("emits its own group's records in order, with the instant of the reply, and then the end", async () => {
    const { feed, events } = fed();
    const pin = record({ partition: pinRegister, kind: 'pin', id: 'm/i/pin' });
    feed(0, [
      formatRecord(pin),
      formatRecord(record({ group: 'another' })),
      'garbage',
      null,
      formatRecord(record()),
    ]);
    expect(await events()).toEqual([
      { kind: 'record', record: pin, receivedAt: now },
      { kind: 'ignored', what: 'a record of unknown content' },
      { kind: 'ignored', what: 'a record without a value' },
      { kind: 'record', record: record(), receivedAt: now },
      { kind: 'end', partitions: [pinRegister, 0] },
    ]);
  });

  it('L7: emits only new lease requests of its own group', async () => {
    const { decoder, feed } = fed();
    feed(0, [formatLeaseRequest('g', { ...leaseRequest, id: 'old' })], false);
    feed(0, [formatRecord(record())]);
    feed(0, [formatLeaseRequest('another', leaseRequest), formatLeaseRequest('g', leaseRequest)]);
    expect(await drained(decoder.leaseRequests)).toEqual([{ ...leaseRequest, receivedAt: now }]);
  });

  it('emits the leave notices of its own group', async () => {
    const { decoder, feed } = fed();
    feed(1, [
      formatLeaveNotice('g', { incarnation: 'i', session: 2 }),
      formatLeaveNotice('another', { incarnation: 'i', session: 3 }),
    ]);
    expect(await drained(decoder.leaveNotices)).toEqual([{ incarnation: 'i', session: 2 }]);
  });

  it('reports an unreadable partition, and reads it from its start once it can; until then the pin stays valid', async () => {
    const { decoder, feed, events } = fed();
    const error = new LeadershipError('unreachable', 'away');
    decoder.failed(0, error);
    decoder.failed(0, error);
    feed(0, [formatRecord(record())]);
    expect(
      (await events()).map((one) => [one.kind, 'partition' in one ? one.partition : undefined]),
    ).toEqual([
      ['unreadable', 0],
      ['unreadable', 0],
      ['restarted', pinRegister],
      ['restarted', 0],
      ['record', undefined],
      ['end', undefined],
    ]);
  });

  it("reads a register again at the engine's request (L12)", async () => {
    const { decoder, feed, events } = fed();
    feed(1, [formatRecord(record({ partition: 1 }))]);
    decoder.reread(1);
    decoder.reread(7);
    expect(decoder.cursors.get(1)).toMatchObject({ stage: 'fresh', position: undefined });
    expect((await events()).map(({ kind }) => kind)).toEqual(['record', 'end', 'restarted']);
  });

  it('empties every register once the topic is deleted (L11)', () => {
    const { decoder, feed } = fed();
    feed(1, [formatRecord(record({ partition: 1 }))]);
    expect([...decoder.gone()]).toEqual([
      { kind: 'restarted', partition: pinRegister },
      { kind: 'restarted', partition: 0 },
      { kind: 'restarted', partition: 1 },
      { kind: 'end', partitions: [pinRegister, 0, 1] },
    ]);
    expect(decoder.cursors.get(1)).toMatchObject({ stage: 'fresh', furthest: 0n });
  });

  it('passes a partition to pruning once it was read to its end, with all its chains', () => {
    const { feed, followed } = fed();
    feed(1, [formatRecord(record({ partition: 1 }))], false);
    expect(followed).toEqual([]);
    feed(1, [formatRecord(record({ partition: 1, height: 1 }))]);
    expect(followed).toEqual([{ partition: 1, start: 0n, end: 2n }]);
  });

  it('needs a partition from the lowest current record of any chain, also after reading restarts (L10)', () => {
    const { decoder, feed } = fed();
    expect(decoder.neededFrom(0)).toBeUndefined();
    const other = record({ group: 'another' });
    const next = record({ id: 'm/i/2', after: 'm/i/1', height: 1 });
    feed(0, [formatRecord(record()), formatRecord(other), formatRecord(next)]);
    expect(decoder.neededFrom(0)).toBe(1n);
    decoder.begin();
    expect(decoder.neededFrom(0)).toBe(1n);
    decoder.lost(0);
    expect(decoder.neededFrom(0)).toBe(1n);
  });

  it('starts over for a register that is reread: earlier reads do not count (L12)', () => {
    const { decoder, feed } = fed();
    feed(1, [formatRecord(record({ partition: 1 }))]);
    expect(decoder.cursors.get(1)?.last).toBeDefined();
    decoder.reread(1);
    expect(decoder.cursors.get(1)).toMatchObject({ position: undefined, last: undefined });
  });
});

describe('after a lost position', () => {
  const kinds = async (events: Promise<readonly LedgerEvent[]>): Promise<readonly string[]> =>
    (await events).map(({ kind }) => kind);

  it('the news go to a new queue, and the old one gets none (L11)', async () => {
    const { decoder, feed, events } = fed();
    const next = decoder.begin();
    feed(0, [formatRecord(record())]);
    expect(await kinds(events())).toEqual([]);
    expect(await kinds(drained<LedgerEvent>(next))).toEqual(['record', 'end']);
  });

  it.each(['all', 'one'] as const)(
    'chains that are not read again do not count: of %s partitions (L10)',
    (lost) => {
      const { decoder, feed } = fed();
      feed(1, [formatRecord(record({ partition: 1, group: 'another' }))]);
      if (lost === 'all') decoder.begin();
      else decoder.lost(1);
      feed(1, [formatRecord(record({ partition: 1 }))]);
      expect(decoder.neededFrom(1)).toBe(1n);
    },
  );

  it('a partition that could not be read before is not restarted twice', async () => {
    const { decoder, feed, events } = fed();
    decoder.failed(1, new LeadershipError('unreachable', 'away'));
    decoder.lost(1);
    feed(1, [formatRecord(record({ partition: 1 }))]);
    expect(await kinds(events())).toEqual(['unreadable', 'restarted', 'record', 'end']);
  });

  it('of all partitions, one that could not be read before is like any other', async () => {
    const { decoder, feed } = fed();
    decoder.failed(1, new LeadershipError('unreachable', 'away'));
    const next = decoder.begin();
    feed(1, [formatRecord(record({ partition: 1 }))]);
    expect(await kinds(drained<LedgerEvent>(next))).toEqual(['record', 'end']);
  });
});
