import type { Cluster } from 'kafkajs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { patchCluster } from '../../src/kafkajs-patches/cluster.ts';
import { clusterOf, connectionsIn } from '../support/kafkajs-internals.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('request queues of KafkaJS', () => {
  it('poll only while a request waits', async () => {
    const cluster = clusterOf();
    patchCluster(cluster, () => undefined);
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

  it('hold requests back for as long as a broker throttles, and send them then', async () => {
    const cluster = clusterOf();
    patchCluster(cluster, () => undefined);
    for (const { requestQueue } of await connectionsIn(cluster)) {
      const sendRequest = vi.fn();
      requestQueue.maybeThrottle(300);
      requestQueue.push({ entry: { correlationId: 1 }, expectResponse: true, sendRequest });
      vi.advanceTimersByTime(299);
      expect(sendRequest).not.toHaveBeenCalled();
      vi.advanceTimersByTime(2);
      expect(sendRequest).toHaveBeenCalledOnce();
      requestQueue.destroy();
    }
  });

  it('poll permanently without the patch', async () => {
    const [connection] = await connectionsIn(clusterOf());
    connection?.requestQueue.checkPendingRequests();
    for (let turns = 0; turns < 10; turns += 1) vi.runOnlyPendingTimers();
    expect(vi.getTimerCount()).toBe(1);
  });

  it('stay unchanged in a release of KafkaJS with another structure', () => {
    for (const other of [
      {},
      { connectionPoolBuilder: {} },
      { connectionPoolBuilder: { build: 1 } },
    ])
      expect(() => patchCluster(other as Cluster, () => undefined)).not.toThrow();
  });
});
