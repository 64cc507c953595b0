import { monotonicClock } from '@leadership/core/adapter';
import { describe, expect, it } from 'vitest';
import {
  type ClusterConnection,
  openClusterConnection,
} from '../../src/connection/cluster-connection.ts';
import { fetchRecords } from '../../src/connection/fetch-records.ts';
import type { LogBroker, LogClient } from '../../src/connection/log-client.ts';
import type { KafkaClient } from '../../src/kafka-client.ts';

/** A connection to one broker that leads two partitions, but answers only about the first one. */
async function connection(): Promise<ClusterConnection> {
  const broker: Partial<LogBroker> = {
    fetch: async () => [
      { partition: 0, fetched: { partition: 0, highWatermark: 0n, logStart: 0n, records: [] } },
    ],
    offsets: async () => new Map([[0, 0n]]),
  };
  const log: Partial<LogClient> = {
    seeds: 1,
    connect: async () => undefined,
    refresh: async () => undefined,
    close: () => undefined,
    disconnect: async () => undefined,
    partitions: () => [0, 1].map((partition) => ({ partition, leader: 1, replicas: 1 })),
    broker: async () => broker as LogBroker,
  };
  const client: KafkaClient = {
    openLog: () => log as LogClient,
    runGroupSession: () => Promise.resolve(),
  };
  const options = {
    client,
    topic: 't',
    clock: monotonicClock,
    limitMs: 10_000,
    requestTimeoutMs: 10_000,
  };
  return openClusterConnection(options, new AbortController().signal);
}

describe('a partition that is left out of an answer', () => {
  it('has no offset', async () => {
    await expect((await connection()).offsetsOf([0, 1], 'end')).rejects.toMatchObject({
      code: 'unreachable',
      message: 'topic t: the answer of a broker leaves out partition 1',
    });
  });

  it('has failed, and is not fetched again at once', async () => {
    const from = [0, 1].map((partition) => ({ partition, position: 0n }));
    const fetched = await fetchRecords(await connection(), 1, from, {
      clock: monotonicClock,
      waitMs: 0,
      limitMs: 10_000,
    });
    expect(fetched.map(({ kind, partition }) => [partition, kind])).toEqual([
      [0, 'fetched'],
      [1, 'failed'],
    ]);
  });
});
