import { type Cluster, Kafka, logLevel, PartitionAssigners } from 'kafkajs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { calmQueues } from '../src/calm-queues.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** What of KafkaJS is relied on. */
interface Innards {
  readonly connectionPoolBuilder: { build(place: { host: string; port: number }): Promise<{ readonly pool: readonly Connection[] }> };
}
interface Connection {
  readonly requestQueue: { pending: unknown[]; canSendSocketRequestImmediately: () => boolean; checkPendingRequests(): void };
}

describe('queues of KafkaJS', () => {
  it('look for nothing while nothing waits, and soon again while something does', async () => {
    const cluster = clusterOf();
    calmQueues(cluster);
    for (const { requestQueue } of await connectionsOf(cluster)) {
      requestQueue.checkPendingRequests();
      expect(vi.getTimerCount()).toBe(0);
      requestQueue.pending.push('held back');
      requestQueue.canSendSocketRequestImmediately = () => false;
      requestQueue.checkPendingRequests();
      expect(vi.getTimerCount()).toBe(1);
      requestQueue.pending = [];
      vi.runOnlyPendingTimers();
      expect(vi.getTimerCount()).toBe(0);
    }
  });

  it('would look for ever: what is mended is there to be mended', async () => {
    const [connection] = await connectionsOf(clusterOf());
    connection?.requestQueue.checkPendingRequests();
    for (let turns = 0; turns < 10; turns += 1) vi.runOnlyPendingTimers();
    expect(vi.getTimerCount()).toBe(1);
  });

  it('are left alone where KafkaJS is built otherwise', () => {
    for (const other of [{}, { connectionPoolBuilder: {} }, { connectionPoolBuilder: { build: 1 } }])
      expect(() => calmQueues(other as Cluster)).not.toThrow();
  });
});

function clusterOf(): Cluster {
  const clusters: Cluster[] = [];
  new Kafka({ brokers: ['127.0.0.1:1'], logLevel: logLevel.NOTHING }).consumer({
    groupId: 'unused',
    partitionAssigners: [
      (parts) => {
        clusters.push(parts.cluster);
        return PartitionAssigners.roundRobin(parts);
      },
    ],
  });
  const [cluster] = clusters;
  if (cluster === undefined) throw new Error('there is no cluster');
  return cluster;
}

async function connectionsOf(cluster: Cluster): Promise<readonly Connection[]> {
  const { pool } = await (cluster as unknown as Innards).connectionPoolBuilder.build({ host: '127.0.0.1', port: 1 });
  expect(pool.length).toBeGreaterThan(0);
  return pool;
}
