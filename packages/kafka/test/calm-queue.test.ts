import type { Cluster } from 'kafkajs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { mendCluster } from '../src/kafkajs/own-cluster.ts';
import { clusterOf, connectionsIn } from './support/innards.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('queues of KafkaJS', () => {
  it('look for nothing while nothing waits, and soon again while something does', async () => {
    const cluster = clusterOf();
    mendCluster(cluster, () => undefined);
    for (const { requestQueue } of await connectionsIn(cluster)) {
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
    const [connection] = await connectionsIn(clusterOf());
    connection?.requestQueue.checkPendingRequests();
    for (let turns = 0; turns < 10; turns += 1) vi.runOnlyPendingTimers();
    expect(vi.getTimerCount()).toBe(1);
  });

  it('are left alone where KafkaJS is built otherwise', () => {
    for (const other of [{}, { connectionPoolBuilder: {} }, { connectionPoolBuilder: { build: 1 } }])
      expect(() => mendCluster(other as Cluster, () => undefined)).not.toThrow();
  });
});
