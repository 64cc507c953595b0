import { LeadershipError } from '@leadership/core';
import type { Instant } from '@leadership/core/adapter';
import { HealthReporter } from '@leadership/core/internal/engine';
import { type Beat, formatBeat } from '@leadership/induction';
import { recordingHost } from '@leadership/testkit/adapter';
import { describe, expect, it } from 'vitest';
import type { FetchedPartition } from '../../src/connection/fetched-partition.ts';
import { BeatDecoder } from '../../src/topic/beat-decoder.ts';
import { startAt, take } from '../../src/topic/cursor.ts';
import { drained } from '../support/drained.ts';

const now = 5 as Instant;
const beat: Beat = {
  group: 'g',
  partition: 0,
  id: 'm/i/0.1',
  member: 'm',
  incarnation: 'i',
  sequence: 1,
  standing: 'leading',
  token: 7n,
  partitions: 2,
  thresholdMs: 9000,
};

/** An intake of two partitions, with the failures that it reported to health(). */
function fed() {
  const host = recordingHost('a');
  const { troubles } = host;
  const decoder = new BeatDecoder(2, new HealthReporter(host));
  const queue = decoder.begin();
  const feed = (
    partition: number,
    from: number,
    values: readonly (string | null)[],
    stampedMs?: number,
  ): void => {
    const records = values.map((value, index) => ({
      offset: BigInt(from + index),
      nextOffset: BigInt(from + index + 1),
      value: value === null ? null : Buffer.from(value),
      writtenMs: 0,
      stampedMs,
      epoch: 1,
      isControl: false,
    }));
    const fetched: FetchedPartition = {
      partition,
      logStart: 0n,
      highWatermark: BigInt(from + values.length),
      records,
    };
    const cursor = decoder.cursors.get(partition);
    if (cursor === undefined) throw new Error('there is no such partition');
    const taken = take(
      cursor.position === undefined ? startAt(cursor, BigInt(from)) : cursor,
      fetched,
      now,
    );
    decoder.cursors.set(partition, taken.cursor);
    decoder.taken(taken, fetched, now);
  };
  return { decoder, feed, troubles, events: () => drained(queue) };
}

describe('the beats that are read from the topic', () => {
  it('are all beats from the end on, after the news that reading has started', async () => {
    const { feed, events } = fed();
    feed(0, 30, []);
    feed(0, 30, [formatBeat(beat)], 123);
    feed(1, 4, [formatBeat({ ...beat, group: 'another', partition: 1 })]);
    expect(await events()).toEqual([
      { kind: 'listening', partitions: [0] },
      { kind: 'beat', beat, receivedAt: now, stampedMs: 123 },
      { kind: 'beat', beat: { ...beat, group: 'another', partition: 1 }, receivedAt: now },
      { kind: 'listening', partitions: [1] },
    ]);
  });

  it('exclude records that are not beats, or are in another partition', async () => {
    const { feed, events } = fed();
    feed(1, 0, [null, 'garbage', '{}', formatBeat(beat)]);
    expect((await events()).map(({ kind }) => kind)).toEqual([
      'ignored',
      'ignored',
      'ignored',
      'ignored',
      'listening',
    ]);
  });

  it('report where beats may have been missed, and the failure until the partition is read again', async () => {
    const { decoder, feed, troubles, events } = fed();
    feed(0, 9, []);
    decoder.failed(0, new LeadershipError('unreachable', 'its broker is away'));
    expect([...troubles]).toEqual(['its broker is away']);
    feed(0, 20, [formatBeat(beat)]);
    expect([...troubles]).toEqual([]);
    expect((await events()).map(({ kind }) => kind)).toEqual([
      'listening',
      'restarted',
      'beat',
      'listening',
    ]);
  });
});
