import { expect, it } from 'vitest';
import type { FetchedPartition, FetchedRecord } from '../../src/connection/fetched-partition.ts';
import { readAcross } from '../../src/topic/read-across.ts';

function record(offset: bigint, epoch: number): FetchedRecord {
  const value = Buffer.from(`${offset} of ${epoch}`);
  const at = { writtenMs: 0, stampedMs: 0 };
  return { offset, epoch, value, ...at, isControl: false, nextOffset: offset + 1n };
}

function fetched(highWatermark: bigint, ...records: FetchedRecord[]): FetchedPartition {
  return { partition: 0, logStart: 0n, highWatermark, records };
}

/** The record at 7 ends a segment. The leader of each fetch, and its answer. */
async function readBy(
  ...answers: readonly { readonly node: number; readonly answer: FetchedPartition }[]
): Promise<readonly bigint[]> {
  const left = [...answers];
  let node = answers[0]?.node;
  const fetch = async (): Promise<FetchedPartition | undefined> => {
    const next = left.shift();
    node = next?.node;
    return next?.answer;
  };
  const read = await readAcross({ leader: () => node, fetch }, 7n, fetched(9n, record(7n, 1)));
  expect(left).toEqual([]);
  return (read?.records ?? []).map(({ offset }) => offset);
}

const next = { node: 1, answer: fetched(9n, record(8n, 1)) };

it('joins the records on both sides of the end of a segment', async () => {
  const known = { node: 1, answer: fetched(9n, record(7n, 1)) };
  expect(await readBy(next, known)).toEqual([7n, 8n]);
});

it('joins no answers of two leaders, one of which may have lost what it showed', async () => {
  const known = { node: 2, answer: fetched(9n, record(7n, 1)) };
  expect(await readBy(next, known)).toEqual([7n]);
});

it('joins nothing of a leader that led again, and has fewer records', async () => {
  const later = { node: 1, answer: fetched(10n, record(8n, 1), record(9n, 1)) };
  const known = { node: 1, answer: fetched(9n, record(7n, 1)) };
  expect(await readBy(later, known)).toEqual([7n]);
});

it('joins nothing to another record at that position', async () => {
  const known = { node: 1, answer: fetched(9n, record(7n, 2)) };
  expect(await readBy(next, known)).toEqual([7n]);
});
