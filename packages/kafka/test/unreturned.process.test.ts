import type { LeadershipSource } from '@leadership/core';
import { eventually } from '@leadership/testkit/adapter';
import { hasKafka, type KafkaCluster, startKafka } from '@leadership/tools/kafka';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { kafkaLeadership } from '../src/index.ts';
import { allow, disallow, type Right } from './support/allow.ts';
import { clientNames, connectedBy } from './support/clients.ts';
import { makeTopic } from './support/topics.ts';

const users = ['one', 'other'] as const;
const options = {
  brokers: 1,
  config: { 'group.min.session.timeout.ms': 300 },
  security: { sasl: 'scram-sha-256', tls: true, acls: true, users },
} as const;

describe.runIf(await hasKafka(options)).each(clientNames)(
  'continuous leadership without the right to write, by %s (I9)',
  (client) => {
    let kafka: KafkaCluster;
    beforeAll(async () => {
      kafka = await startKafka(options);
    });
    afterAll(() => kafka[Symbol.asyncDispose]());

    const writing = (topic: string): Right => ({
      resource: 'topic',
      name: topic,
      operation: 'WRITE',
    });
    const open = async (topic: string, user: string): Promise<LeadershipSource> => {
      await allow(kafka, user, [
        writing(topic),
        { resource: 'topic', name: topic, operation: 'READ' },
        { resource: 'topic', name: topic, operation: 'DESCRIBE_CONFIGS' },
        { resource: 'group', name: `leadership:${topic}:g`, operation: 'READ' },
      ]);
      return kafkaLeadership({
        ...connectedBy(client, kafka, user),
        group: 'g',
        topic,
        partitions: 2,
        thresholdMs: 3000,
        sessionTimeoutMs: 1000,
        guarantee: 'continuous',
        topicCheck: 'safety',
      });
    };
    const health = (source: LeadershipSource) => ({
      details: () => `: ${JSON.stringify(source.health())}`,
    });
    const leadsOne = (source: LeadershipSource): Promise<true> =>
      eventually('it leads one of both', () => led(source) === 1 || undefined, health(source));
    const isWell = (source: LeadershipSource): Promise<true> =>
      eventually('nothing is wrong', () => source.health().ok || undefined, health(source));
    const isForbidden = (source: LeadershipSource): Promise<true> =>
      eventually(
        'the error names the right',
        () =>
          source.health().troubles.some(({ message }) => /grant Write/.test(message)) || undefined,
        health(source),
      );

    test('another member leads what a member may not lead any more, until it may again', async () => {
      await makeTopic(kafka, { topic: 'forbidden', numPartitions: 2 });
      await using one = await open('forbidden', 'one');
      await using other = await open('forbidden', 'other');
      await leadsOne(one);
      await leadsOne(other);
      await disallow(kafka, 'one', writing('forbidden'));
      await eventually('the other leads both', () => led(other) === 2 || undefined, health(other));
      await isForbidden(one);
      await isWell(other);
      await eventually('it no longer leads', () => led(one) === 0 || undefined, health(one));
      await allow(kafka, 'one', [writing('forbidden')]);
      await leadsOne(one);
      await leadsOne(other);
      await isWell(one);
      expect(other.health().ok).toBe(true);
    });

    test('members of which none may write lead again once they may', async () => {
      await makeTopic(kafka, { topic: 'closed', numPartitions: 2 });
      await using one = await open('closed', 'one');
      await using other = await open('closed', 'other');
      await leadsOne(one);
      await leadsOne(other);
      for (const user of users) await disallow(kafka, user, writing('closed'));
      for (const source of [one, other]) {
        await eventually(
          'it no longer leads',
          () => led(source) === 0 || undefined,
          health(source),
        );
        await isForbidden(source);
      }
      for (const user of users) await allow(kafka, user, [writing('closed')]);
      for (const source of [one, other]) {
        await leadsOne(source);
        await isWell(source);
      }
    });
  },
);

function led(source: LeadershipSource): number {
  return [0, 1].filter((partition) => source.role(partition).isLeading()).length;
}
