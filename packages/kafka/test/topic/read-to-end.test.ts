import { monotonicClock } from '@leadership/core/adapter';
import type { Broker } from 'kafkajs';
import { describe, expect, it } from 'vitest';
import type { ClusterConnection } from '../../src/connection/cluster-connection.ts';
import { hasErrorType } from '../../src/errors.ts';
import { kafkajsBroker } from '../../src/kafkajs/log.ts';
import { readToEnd } from '../../src/topic/read-to-end.ts';

/**
 * Reads from a broker that answers every fetch with this error; the other brokers answer whether
 * the topic was deleted.
 */
function refusedWith(type: string, isGone: boolean): Promise<unknown> {
  const fetch = (): Promise<never> =>
    Promise.reject(Object.assign(new Error(type), { name: 'KafkaJSProtocolError', type }));
  const connection: Partial<ClusterConnection> = {
    leaderOf: () => 1,
    broker: () => Promise.resolve(kafkajsBroker({ fetch } as unknown as Broker, 't')),
    withTimeout: (asked) => asked,
    offsetsOf: () => Promise.resolve(new Map([[0, 0n]])),
    isGone: () => Promise.resolve(isGone),
  };
  const options = { topic: 't', clock: monotonicClock, limitMs: 1_000 };
  return readToEnd(connection as ClusterConnection, 0, options).catch((error: unknown) => error);
}

describe('a partition that cannot be read to its end', () => {
  it('names the missing right', async () => {
    const message = 'topic t, partition 0: a right is missing: grant Read on the topic';
    expect(await refusedWith('TOPIC_AUTHORIZATION_FAILED', false)).toMatchObject({
      code: 'unauthorized',
      message,
    });
  });

  it('reports why it cannot be read', async () => {
    const message = 'topic t, partition 0: a partition is moving to another broker';
    expect(await refusedWith('NOT_LEADER_FOR_PARTITION', false)).toMatchObject({
      code: 'unreachable',
      message,
    });
  });

  it.each([true, false])(
    'belongs to a deleted topic only if all brokers confirm that: %s',
    async (isGone) => {
      const error = await refusedWith('UNKNOWN_TOPIC_OR_PARTITION', isGone);
      expect(error).toMatchObject({ code: 'unreachable' });
      expect(hasErrorType(error, 'UNKNOWN_TOPIC_OR_PARTITION')).toBe(isGone);
    },
  );
});
