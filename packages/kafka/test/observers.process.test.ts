import { setTimeout as pause } from 'node:timers/promises';
import type { LeadershipSource } from '@leadership/core';
import { eventually } from '@leadership/testkit/adapter';
import { hasKafka, type KafkaCluster, startKafka } from '@leadership/tools/kafka';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { kafkaLeadership } from '../src/index.ts';
import { type ClientName, clientNames, connectedBy } from './support/clients.ts';
import { contentsOf, deleteTopic } from './support/topics.ts';

/** A client that asks for a topic creates it here. */
const config = { 'group.min.session.timeout.ms': 300, 'auto.create.topics.enable': true };
const thresholdMs = 3000;

describe.runIf(await hasKafka({ brokers: 1, config }))('an observer on Kafka', () => {
  let kafka: KafkaCluster;
  beforeAll(async () => {
    kafka = await startKafka({ brokers: 1, config, proxied: false });
  });
  afterAll(() => kafka[Symbol.asyncDispose]());

  const open = (
    client: ClientName,
    guarantee: 'exclusive' | 'continuous',
    topic: string,
    campaign: boolean,
    partitions = 1,
  ): LeadershipSource =>
    kafkaLeadership({
      ...connectedBy(client, kafka),
      group: 'g',
      topic,
      partitions,
      thresholdMs,
      guarantee,
      campaign,
      log: false,
      ...(guarantee === 'continuous' && { sessionTimeoutMs: 1000 }),
      topicCheck: 'safety',
    });

  it.each(
    clientNames.flatMap((client) =>
      (['exclusive', 'continuous'] as const).map((guarantee) => [client, guarantee] as const),
    ),
  )(
    'creates neither topic nor consumer group nor pin, waits for a member, and also when the topic was deleted: %s, %s',
    async (client, guarantee) => {
      const topic = `${client}-${guarantee}`;
      await using observer = open(client, guarantee, topic, false);
      const isUnknown = (): boolean =>
        observer.health().troubles.some(({ code }) => code === 'unknown-group');
      await observer.ready();
      await eventually('it reports an unknown group', isUnknown);
      await pause(thresholdMs);
      expect(await contentsOf(kafka, topic, 'g')).toEqual([]);
      {
        await using member = open(client, guarantee, topic, true);
        await eventually('it leads', () => member.role(0).isLeading());
        await eventually('the observer sees it', () => observer.role(0).leader() !== undefined);
        await eventually('the group is known', () => !isUnknown());
      }
      await deleteTopic(kafka, topic);
      await eventually('it reports an unknown group again', isUnknown);
      await pause(thresholdMs);
      expect(await contentsOf(kafka, topic, 'g')).not.toContain(topic);
    },
  );

  it.each(clientNames)(
    'is a member that was refused, and creates no topic that was deleted: %s',
    async (client) => {
      const topic = `${client}-refused`;
      {
        await using member = open(client, 'exclusive', topic, true);
        await eventually('it leads', () => member.role(0).isLeading());
      }
      await using refused = open(client, 'exclusive', topic, true, 2);
      await expect(refused.ready()).rejects.toMatchObject({ code: 'partitions-differ' });
      await deleteTopic(kafka, topic);
      await pause(3 * thresholdMs);
      expect(await contentsOf(kafka, topic, 'g')).not.toContain(topic);
    },
  );
});
