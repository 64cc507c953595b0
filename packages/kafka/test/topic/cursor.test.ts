import type { Instant } from '@leadership/core/adapter';
import { after as later } from '@leadership/core/internal/engine';
import { describe, expect, it } from 'vitest';
import type { FetchedPartition, FetchedRecord } from '../../src/connection/fetched-partition.ts';
import { type Cursor, lose, newCursor, startAt, type Taken, take } from '../../src/topic/cursor.ts';

const at = 0 as Instant;

function record(offset: number, changes: Partial<FetchedRecord> = {}): FetchedRecord {
  const own = BigInt(offset);
  return {
    offset: own,
    value: Buffer.from(`r${offset}`),
    writtenMs: 0,
    stampedMs: undefined,
    epoch: 1,
    isControl: false,
    nextOffset: own + 1n,
    ...changes,
  };
}

function reply(highWatermark: number, ...records: FetchedRecord[]): FetchedPartition {
  return { partition: 0, highWatermark: BigInt(highWatermark), logStart: 0n, records };
}

/** Returns a cursor that has read `count` records to their end. */
function followed(count: number): Cursor {
  const records = Array.from({ length: count }, (_, offset) => record(offset));
  return take(startAt(newCursor(0), 0n), reply(count, ...records), at).cursor;
}

const offsets = ({ records }: Taken): number[] => records.map(({ offset }) => Number(offset));

describe('a cursor in a partition', () => {
  it('reaches the end once it has read every visible record of the reply', () => {
    const first = take(startAt(newCursor(0), 0n), reply(3, record(0), record(1)), at);
    expect(first).toMatchObject({ update: 'none', cursor: { stage: 'reading', position: 2n } });
    const second = take(first.cursor, reply(3, record(2)), at);
    expect(second).toMatchObject({
      update: 'end',
      cursor: { stage: 'following', position: 3n, furthest: 3n },
    });
    expect(take(second.cursor, reply(4, record(3)), at).update).toBe('none');
  });

  it('reaches the end of an empty partition', () => {
    expect(take(startAt(newCursor(0), 7n), reply(7), at)).toMatchObject({
      update: 'end',
      cursor: { stage: 'following' },
    });
  });

  it('skips records below the position, and control records', () => {
    const taken = take(
      startAt(newCursor(0), 2n),
      reply(5, record(1), record(2), record(3, { isControl: true }), record(4)),
      at,
    );
    expect(offsets(taken)).toEqual([2, 4]);
    expect(taken).toMatchObject({ update: 'end', cursor: { position: 5n } });
  });

  it('continues after a batch whose last offsets are empty', () => {
    expect(
      take(startAt(newCursor(0), 0n), reply(9, record(0, { nextOffset: 9n })), at),
    ).toMatchObject({
      update: 'end',
      cursor: { position: 9n },
    });
  });

  it('loses its position to another leader epoch, higher or lower, after the end was read, and drops that reply', () => {
    for (const epoch of [0, 2]) {
      const taken = take(followed(2), reply(4, record(2), record(3, { epoch })), at);
      expect(taken).toMatchObject({
        update: 'lost',
        records: [],
        cursor: { stage: 'fresh', position: undefined },
      });
    }
  });

  it('accepts changes of the epoch in history', () => {
    const taken = take(
      startAt(newCursor(0), 0n),
      reply(3, record(0), record(1, { epoch: 5 }), record(2, { epoch: 6 })),
      at,
    );
    expect(taken).toMatchObject({ update: 'end', cursor: { epoch: 6 } });
  });

  it('loses a position that is beyond the end', () => {
    expect(take(followed(5), reply(4), at)).toMatchObject({
      update: 'lost',
      cursor: { position: undefined, furthest: 5n },
    });
  });

  it('accepts an end below an earlier position only after a second', () => {
    const again = startAt(lose(followed(5)), 0n);
    const short = take(again, reply(2, record(0), record(1)), at);
    expect(short).toMatchObject({ update: 'none', cursor: { stage: 'reading', shortSince: at } });
    expect(take(short.cursor, reply(2), later(at, 999)).update).toBe('none');
    expect(take(short.cursor, reply(2), later(at, 1000)).update).toBe('end');
    const grown = take(short.cursor, reply(5, record(2), record(3), record(4)), later(at, 10));
    expect(grown).toMatchObject({ update: 'end', cursor: { shortSince: undefined } });
  });

  it('ignores a reply to a fetch from before its position was lost', () => {
    expect(take(lose(followed(2)), reply(3, record(2)), at)).toMatchObject({
      update: 'none',
      records: [],
    });
  });
});
