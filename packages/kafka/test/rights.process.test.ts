import type { LeadershipErrorCode, LeadershipSource } from '@leadership/core';
import { hasKafka, type KafkaCluster, startKafka } from '@leadership/tools/kafka';
import { Kafka, logLevel } from 'kafkajs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { kafkaLeadership } from '../src/index.ts';
import { allow, type Right } from './support/allow.ts';
import { eventually } from './support/eventually.ts';
import { oftenPruning } from './support/often-pruning.ts';
import { makeTopic } from './support/topics.ts';

const options = { brokers: 1, security: { sasl: 'scram-sha-256', tls: true, acls: true, users: ['member'] } } as const;

/** The recipe of docs/kafka.md, for a topic that is there. */
const recipe = (topic: string): readonly Right[] => [
  { resource: 'topic', name: topic, operation: 'READ' },
  { resource: 'topic', name: topic, operation: 'WRITE' },
  { resource: 'topic', name: topic, operation: 'DELETE' },
  { resource: 'topic', name: topic, operation: 'DESCRIBE_CONFIGS' },
  { resource: 'group', name: `leadership.${topic}.g`, operation: 'READ' },
];

describe.runIf(await hasKafka(options))('guarded brokers', () => {
  let kafka: KafkaCluster;
  beforeAll(async () => {
    kafka = await startKafka(options);
  });
  afterAll(() => kafka[Symbol.asyncDispose]());

  const open = (topic: string, changes = {}, topicCheck: 'full' | 'safety' = 'safety'): LeadershipSource =>
    kafkaLeadership({ kafka: { ...kafka.client('member'), ...changes }, group: 'g', topic, partitions: 1, thresholdMs: 500, topicCheck });
  const troubleOf = (source: LeadershipSource, code: LeadershipErrorCode, sentence: RegExp): Promise<true> =>
    eventually(
      `health() says ${code} ${sentence}`,
      () => source.health().troubles.some((trouble) => trouble.code === code && sentence.test(trouble.message)) || undefined,
      () => JSON.stringify(source.health().troubles),
    );
  const warningOf = (source: LeadershipSource, code: LeadershipErrorCode, sentence: RegExp): Promise<true> =>
    eventually(
      `health() warns of ${sentence}`,
      () => source.health().warnings.some((warning) => warning.code === code && sentence.test(warning.message)) || undefined,
      () => JSON.stringify(source.health()),
    );
  const isWell = (source: LeadershipSource): Promise<true> =>
    eventually(
      'the group is joined, and nothing is wrong',
      () => source.health().ok || undefined,
      () => JSON.stringify(source.health()),
    );
  const leads = (source: LeadershipSource): Promise<true> => eventually('it leads', () => source.role(0).isLeading() || undefined);

  test('a wrong password is refused at once', async () => {
    const { sasl } = kafka.client('member');
    const from = performance.now();
    await using source = open('any', { sasl: { ...sasl, password: 'guessed' } });
    await expect(source.ready()).rejects.toMatchObject({ code: 'unauthorized', message: expect.stringMatching(/kafka\.sasl/) });
    expect(performance.now() - from).toBeLessThan(10_000);
  });

  test('exactly the rights of the recipe suffice', async () => {
    await makeTopic(kafka, { topic: 'recipe', numPartitions: 1, configEntries: [{ name: 'compression.type', value: 'uncompressed' }] });
    await allow(kafka, 'member', recipe('recipe'));
    await using source = open('recipe');
    await leads(source);
    await isWell(source);
  });

  test('a topic is made with Create on it', async () => {
    await allow(kafka, 'member', [...recipe('created'), { resource: 'topic', name: 'created', operation: 'CREATE' }]);
    await using source = open('created');
    await leads(source);
  });

  test.each([
    ['READ', 'topic', 'unauthorized', /Read and Write/],
    ['WRITE', 'topic', 'unauthorized', /Read and Write/],
    ['READ', 'group', 'unauthorized', /Read on the consumer group/],
  ] as const)('without %s on the %s the error names it', async (operation, resource, code, sentence) => {
    const topic = await topicWithout(operation, resource);
    await using source = open(topic, {}, 'full');
    source.ready().catch(() => undefined);
    await troubleOf(source, code, sentence);
  });

  test('without DescribeConfigs it leads, and warns that the topic could not be checked', async () => {
    await using source = open(await topicWithout('DESCRIBE_CONFIGS', 'topic'), {}, 'full');
    await leads(source);
    await warningOf(source, 'misconfigured-backend', /DescribeConfigs/);
    await isWell(source);
  });

  test('without Delete it leads, and warns that the topic grows', async () => {
    const topic = await topicWithout('DELETE', 'topic');
    await using source = oftenPruning({ kafka: kafka.client('member'), topic, topicCheck: 'full' });
    await warningOf(source, 'unauthorized', /grant Delete/);
    expect([source.role(0).isLeading(), source.health().ok]).toEqual([true, true]);
  });

  test('without Create, where there is no topic, the error names it', async () => {
    await allow(kafka, 'member', recipe('uncreated'));
    await using source = open('uncreated');
    await expect(source.ready()).rejects.toMatchObject({ code: 'unauthorized', message: expect.stringMatching(/grant Create/) });
  });

  test('without any right on a topic that is not there the error says so', async () => {
    await using source = open('nowhere');
    await expect(source.ready()).rejects.toMatchObject({ code: 'unauthorized' });
  });

  test('a client that was made elsewhere does as well', async () => {
    await makeTopic(kafka, { topic: 'elsewhere', numPartitions: 1 });
    await allow(kafka, 'member', recipe('elsewhere'));
    const client = new Kafka({ ...kafka.client('member'), logLevel: logLevel.NOTHING, requestTimeout: 1000 });
    const source = kafkaLeadership({
      kafka: client,
      group: 'g',
      topic: 'elsewhere',
      partitions: 1,
      thresholdMs: 500,
      topicCheck: 'safety',
    });
    await leads(source);
    await source.close();
  });

  /** A topic on which the member has every right of the recipe but one. */
  async function topicWithout(operation: Right['operation'], resource: Right['resource']): Promise<string> {
    const topic = `no-${operation}-${resource}`;
    await makeTopic(kafka, { topic, numPartitions: 1 });
    await allow(
      kafka,
      'member',
      recipe(topic).filter((right) => right.operation !== operation || right.resource !== resource),
    );
    return topic;
  }
});
