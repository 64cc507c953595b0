import type { LeadershipErrorCode, LeadershipSource } from '@leadership/core';
import { eventually } from '@leadership/testkit/adapter';
import { hasKafka, type KafkaCluster, startKafka } from '@leadership/tools/kafka';
import { Kafka, logLevel } from 'kafkajs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type KafkaOptions, kafkaLeadership } from '../src/index.ts';
import { allow, type Right } from './support/allow.ts';
import { clientBy, clientNames, connectedBy } from './support/clients.ts';
import { oftenCopying } from './support/often-copying.ts';
import { configure, makeTopic } from './support/topics.ts';

/**
 * Any request for a missing topic creates it, if the client has the right. Reading this setting
 * needs a separate right.
 */
const config = { 'auto.create.topics.enable': true };
const options = {
  brokers: 1,
  config,
  security: { sasl: 'scram-sha-256', tls: true, acls: true, users: clientNames },
} as const;

const continuous = { guarantee: 'continuous', thresholdMs: 9000 } as const;

/** The recipe of docs/reference/kafka.md, for a topic that is there. */
const recipe = (topic: string): readonly Right[] => [
  { resource: 'topic', name: topic, operation: 'READ' },
  { resource: 'topic', name: topic, operation: 'WRITE' },
  { resource: 'topic', name: topic, operation: 'DELETE' },
  { resource: 'topic', name: topic, operation: 'DESCRIBE_CONFIGS' },
  { resource: 'group', name: `leadership:${topic}:g`, operation: 'READ' },
];

let kafka: KafkaCluster;
beforeAll(async () => {
  if (await hasKafka(options)) kafka = await startKafka(options);
});
afterAll(() => kafka?.[Symbol.asyncDispose]());

/** Each client has a user of its own, whose rights are exact, and topics of its own. */
describe.runIf(await hasKafka(options)).each(clientNames)('guarded brokers, by %s', (client) => {
  const open = (topic: string, changes: Partial<KafkaOptions> = {}): LeadershipSource => {
    const common = { group: 'g', partitions: 1, thresholdMs: 500, topicCheck: 'safety' } as const;
    return kafkaLeadership({
      ...common,
      ...connectedBy(client, kafka, client),
      topic,
      ...changes,
    });
  };
  const troubleOf = (
    source: LeadershipSource,
    code: LeadershipErrorCode,
    sentence: RegExp,
  ): Promise<true> =>
    eventually(
      `health() says ${code} ${sentence}`,
      () =>
        source
          .health()
          .troubles.some((trouble) => trouble.code === code && sentence.test(trouble.message)) ||
        undefined,
      { details: () => `: ${JSON.stringify(source.health().troubles)}` },
    );
  const warningOf = (
    source: LeadershipSource,
    code: LeadershipErrorCode,
    sentence: RegExp,
  ): Promise<true> =>
    eventually(
      `health() warns of ${sentence}`,
      () =>
        source
          .health()
          .warnings.some((warning) => warning.code === code && sentence.test(warning.message)) ||
        undefined,
      { details: () => `: ${JSON.stringify(source.health())}` },
    );
  const isWell = (source: LeadershipSource): Promise<true> =>
    eventually('the group is joined, and nothing is wrong', () => source.health().ok, {
      details: () => `: ${JSON.stringify(source.health())}`,
    });
  const leads = (source: LeadershipSource): Promise<true> =>
    eventually('it leads', () => source.role(0).isLeading());

  // `login.process.test.ts` shows it for the other client.
  test.runIf(client === 'kafkajs')(
    'a wrong password is refused at once, and not tried again',
    async () => {
      const { sasl: _, brokers: seeds, ...config } = kafka.client(client);
      let asked = 0;
      const brokers = (): string[] => {
        asked += 1;
        return [...seeds];
      };
      await using source = open(`any-${client}`, {
        kafka: {
          ...config,
          brokers,
          connectionTimeout: 60_000,
          sasl: { mechanism: 'scram-sha-256', username: client, password: 'guessed' },
        },
        // A late answer of a starved machine causes another request, but not within this time.
        thresholdMs: 9000,
      });
      await expect(source.ready()).rejects.toMatchObject({
        code: 'unauthorized',
        message: expect.stringMatching(/kafka\.sasl/),
      });
      expect(asked).toBe(1);
    },
  );

  test('exactly the rights of the recipe suffice', async () => {
    await makeTopic(kafka, {
      topic: `recipe-${client}`,
      numPartitions: 1,
      configEntries: [{ name: 'compression.type', value: 'uncompressed' }],
    });
    await allow(kafka, client, recipe(`recipe-${client}`));
    await using source = open(`recipe-${client}`, { topicCheck: 'full' });
    await leads(source);
    await isWell(source);
    expect(source.health().warnings).toMatchObject([
      { message: expect.stringMatching(/one replica/) },
    ]);
  });

  test('continuous leadership needs no Delete', async () => {
    await using source = open(await topicWithout('DELETE', 'topic', 'beats'), continuous);
    await leads(source);
    await isWell(source);
  });

  test('a topic is made with Create on it', async () => {
    await allow(kafka, client, [
      ...recipe(`created-${client}`),
      { resource: 'topic', name: `created-${client}`, operation: 'CREATE' },
    ]);
    await using source = open(`created-${client}`);
    await leads(source);
  });

  test.each([
    ['a lease', 'READ', 'topic', 'is refused'],
    ['a lease', 'WRITE', 'topic', 'never leads'],
    ['continuous leadership', 'READ', 'topic', 'is refused'],
    ['continuous leadership', 'WRITE', 'topic', 'never leads'],
    ['continuous leadership', 'READ', 'group', 'is refused'],
  ] as const)(
    '%s without %s on the %s: the error names it, and it %s',
    async (kind, operation, resource, end) => {
      const topic = await topicWithout(operation, resource, kind.replace(' ', '-'));
      const missing = operation === 'READ' ? 'Read' : 'Write';
      const sentence = new RegExp(
        `${topic}.*: a right is missing: grant ${missing} on the (consumer )?${resource}$`,
      );
      await using source = open(topic, kind === 'a lease' ? {} : continuous);
      const refused = source.ready().catch((error: unknown) => error);
      await troubleOf(source, 'unauthorized', sentence);
      expect(source.role(0).isLeading()).toBe(false);
      if (end === 'is refused')
        expect(await refused).toMatchObject({
          code: 'unauthorized',
          message: expect.stringMatching(sentence),
        });
    },
  );

  test('without DescribeConfigs it leads, and warns that the topic could not be checked', async () => {
    await using source = open(await topicWithout('DESCRIBE_CONFIGS', 'topic'), {
      topicCheck: 'full',
    });
    await leads(source);
    await warningOf(source, 'misconfigured-backend', /DescribeConfigs/);
    await isWell(source);
  });

  test('without Delete it leads, and warns that the topic grows', async () => {
    const topic = await topicWithout('DELETE', 'topic');
    await using source = oftenCopying({
      client: clientBy(client, kafka, client),
      topic,
      topicCheck: 'full',
    });
    await warningOf(source, 'unauthorized', /grant Delete/);
    await leads(source);
    await isWell(source);
  });

  test('while the brokers refuse a copy of the rows it leads, and warns that the topic grows', async () => {
    await makeTopic(kafka, { topic: `copied-${client}`, numPartitions: 1 });
    await allow(kafka, client, recipe(`copied-${client}`));
    const common = { client: clientBy(client, kafka, client), topic: `copied-${client}` };
    // A copy has the rows of all groups, also of those whose members have left.
    const led = async (letter: string): Promise<void> => {
      await using other = oftenCopying({ ...common, group: letter.repeat(200) });
      await leads(other);
    };
    await Promise.all([...'abcd'].map(led));
    await using source = oftenCopying(common);
    await leads(source);
    // A renewal has fewer bytes, and a copy more.
    await configure(kafka, `copied-${client}`, [{ name: 'max.message.bytes', value: '1500' }]);
    const grows = /set max\.message\.bytes=1000000.+no old record is removed/;
    await warningOf(source, 'misconfigured-backend', grows);
    await leads(source);
    await configure(kafka, `copied-${client}`, []);
    await eventually('the warning ends', () => source.health().warnings.length === 0 || undefined);
  });

  test('without Create and without a topic, the error names the missing right', async () => {
    await allow(kafka, client, recipe(`uncreated-${client}`));
    await using source = open(`uncreated-${client}`);
    await expect(source.ready()).rejects.toMatchObject({
      code: 'unauthorized',
      message: expect.stringMatching(/grant Create/),
    });
  });

  test('without any right on a topic that is not there the error says so', async () => {
    await using source = open(`nowhere-${client}`);
    await expect(source.ready()).rejects.toMatchObject({ code: 'unauthorized' });
  });

  test.runIf(client === 'kafkajs')('a client that was made elsewhere does as well', async () => {
    await makeTopic(kafka, { topic: `elsewhere-${client}`, numPartitions: 1 });
    await allow(kafka, client, recipe(`elsewhere-${client}`));
    const made = new Kafka({
      ...kafka.client(client),
      logLevel: logLevel.NOTHING,
      requestTimeout: 1000,
    });
    const source = kafkaLeadership({
      kafka: made,
      group: 'g',
      topic: `elsewhere-${client}`,
      partitions: 1,
      thresholdMs: 500,
      topicCheck: 'safety',
    });
    await leads(source);
    await source.close();
  });

  test('with DescribeConfigs on the cluster it warns of brokers that make topics by themselves', async () => {
    await makeTopic(kafka, { topic: `looked-at-${client}`, numPartitions: 1 });
    await allow(kafka, client, [
      ...recipe(`looked-at-${client}`),
      { resource: 'cluster', name: 'kafka-cluster', operation: 'DESCRIBE_CONFIGS' },
    ]);
    await using source = open(`looked-at-${client}`, { topicCheck: 'full' });
    await warningOf(source, 'misconfigured-backend', /auto\.create\.topics\.enable is true/);
  });

  /** Creates a topic on which the member has every right of the recipe but one. */
  async function topicWithout(
    operation: Right['operation'],
    resource: Right['resource'],
    which = '',
  ): Promise<string> {
    const topic = `no-${operation}-${resource}-${which}-${client}`;
    await makeTopic(kafka, { topic, numPartitions: 1 });
    await allow(
      kafka,
      client,
      recipe(topic).filter((right) => right.operation !== operation || right.resource !== resource),
    );
    return topic;
  }
});
