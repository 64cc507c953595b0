import { describe, expect, it } from 'vitest';
import type { FetchedPartition, FetchedRecord } from '../../src/connection/fetched-partition.ts';
import { readPastEmpty } from '../../src/topic/past-empty.ts';

/** A log whose segments begin at these offsets; a fetch returns the records of one segment. */
function fetchFrom(
  segments: readonly (readonly [from: number, records: readonly number[]])[],
  highWatermark: number,
  start = 0,
): { readonly asked: bigint[]; fetch(position: bigint): Promise<FetchedPartition | undefined> } {
  const asked: bigint[] = [];
  return {
    asked,
    async fetch(position) {
      asked.push(position);
      if (position < start) return undefined;
      const [, records = []] = segments.findLast(([from]) => BigInt(from) <= position) ?? [];
      return {
        partition: 0,
        highWatermark: BigInt(highWatermark),
        logStart: BigInt(start),
        records: records.filter((offset) => BigInt(offset) >= position).map(recordAt),
      };
    },
  };
}

function recordAt(offset: number): FetchedRecord {
  const shared = { value: null, writtenMs: 0, stampedMs: undefined, epoch: 0, isControl: false };
  return { ...shared, offset: BigInt(offset), nextOffset: BigInt(offset + 1) };
}

async function offsetsOf(read: Promise<FetchedPartition | undefined>): Promise<unknown> {
  return (await read)?.records.map(({ offset }) => Number(offset));
}

describe('reading past batches without records', () => {
  it('asks once where there are records, and at the end of the log', async () => {
    const log = fetchFrom([[0, [0, 1, 2]]], 3);
    expect(await offsetsOf(readPastEmpty(log.fetch, 1n))).toEqual([1, 2]);
    expect(await offsetsOf(readPastEmpty(log.fetch, 3n))).toEqual([]);
    expect(log.asked).toEqual([1n, 3n]);
  });

  it.each([1, 2, 22, 23, 24, 1000])(
    'finds the first record after them: the next segment begins at %d',
    async (next) => {
      const log = fetchFrom(
        [
          [0, []],
          [next, [next, next + 1]],
        ],
        next + 2,
      );
      expect(await offsetsOf(readPastEmpty(log.fetch, 0n))).toEqual([next, next + 1]);
      expect(log.asked.length).toBeLessThan(13);
    },
  );

  it('finds none where compaction has left none', async () => {
    const log = fetchFrom([[0, []]], 500);
    const read = await readPastEmpty(log.fetch, 7n);
    expect(read?.records).toEqual([]);
    expect(read?.highWatermark).toBe(500n);
  });

  it('returns nothing where the log is cut meanwhile', async () => {
    const log = fetchFrom([[0, []]], 500);
    const cut = fetchFrom([[0, []]], 500, 400);
    const fetch = (position: bigint): Promise<FetchedPartition | undefined> =>
      (log.asked.length === 0 ? log : cut).fetch(position);
    expect(await readPastEmpty(fetch, 7n)).toBeUndefined();
  });
});
