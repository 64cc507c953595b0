import { setTimeout as pause } from 'node:timers/promises';
import type { LeadershipSource } from '@leadership/core';
import { eventually } from '@leadership/testkit/adapter';
import { hasKafka, type KafkaCluster, startKafka } from '@leadership/tools/kafka';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { kafkaLeadership, platformatic } from '../../src/index.ts';

/**
 * How long a login lasts, in milliseconds. Brokers end a connection that sends a request after that
 * time.
 */
const loginMs = 2_000;
const config = { 'connections.max.reauth.ms': loginMs };
const options = { brokers: 1, config, security: { sasl: 'scram-sha-256', tls: true } } as const;
/** More than the default: many things run beside a test. */
const thresholdMs = 3_000;

describe.runIf(await hasKafka(options))('a login by the second client', () => {
  let kafka: KafkaCluster;
  beforeAll(async () => {
    kafka = await startKafka(options);
  });
  afterAll(() => kafka[Symbol.asyncDispose]());

  const open = (topic: string, password: string): LeadershipSource => {
    const { ssl } = kafka.client('member');
    const client = platformatic({
      ...(typeof ssl === 'object' && { tls: ssl }),
      sasl: { mechanism: 'SCRAM-SHA-256', username: 'member', password: () => password },
    });
    return kafkaLeadership({
      kafka: { brokers: [...kafka.bootstrap] },
      client,
      group: 'g',
      topic,
      partitions: 1,
      thresholdMs,
    });
  };

  test('is over TLS, and renewed before it expires: a term outlives several logins (KIP-368)', async () => {
    await using source = open('renewed', 'member-password');
    await source.ready();
    const role = source.role(0);
    await eventually('it leads', () => role.isLeading());
    const token = role.term()?.token;
    const until = performance.now() + 4 * loginMs;
    while (performance.now() < until) {
      await pause(50);
      expect(source.health().troubles).toEqual([]);
      expect(role.term()?.token).toBe(token);
    }
  });

  test('that is refused names the option of this client', async () => {
    await using source = open('refused', 'guessed');
    await expect(source.ready()).rejects.toMatchObject({
      code: 'unauthorized',
      message: expect.stringMatching(/password.*sasl option of platformatic\(\)/),
    });
  });
});
