import type { LeadershipSource } from '@leadership/core';
import { eventually } from '@leadership/testkit/adapter';
import { hasKafka, type KafkaCluster, startKafka } from '@leadership/tools/kafka';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { kafkaLeadership } from '../../src/index.ts';
import { kafkajsClient } from '../../src/kafkajs/kafkajs-client.ts';
import type { TopicCheck } from '../../src/topic/topic.ts';
import { oftenChecking } from '../support/often-checking.ts';
import { oftenPruning } from '../support/often-pruning.ts';
import { administered, configure, makeTopic } from '../support/topics.ts';
import { contentOf } from '../support/with-topic.ts';

/** Brokers look for old segments every five minutes, the first time after half a minute. */
const config = { 'log.retention.check.interval.ms': 200, 'log.initial.task.delay.ms': 200 };
const options = { brokers: 1, config } as const;

describe.runIf(await hasKafka(options))('the topic', () => {
  let kafka: KafkaCluster;
  beforeAll(async () => {
    kafka = await startKafka(options);
  });
  afterAll(() => kafka[Symbol.asyncDispose]());

  const open = (
    topic: string,
    topicCheck: TopicCheck = 'safety',
    partitions = 1,
  ): LeadershipSource =>
    kafkaLeadership({
      kafka: { brokers: [...kafka.bootstrap] },
      group: 'g',
      topic,
      topicCheck,
      partitions,
      thresholdMs: 500,
    });
  const leads = (source: LeadershipSource): Promise<true> =>
    eventually('it leads', () => source.role(0).isLeading());

  test('is made with what a ledger needs', async () => {
    await using source = open('made', 'safety', 3);
    await source.ready();
    const { partitions, settings } = await administered(kafka, async (admin) => {
      const { topics } = await admin.fetchTopicMetadata({ topics: ['made'] });
      const { resources } = await admin.describeConfigs({
        resources: [{ type: 2, name: 'made' }],
        includeSynonyms: false,
      });
      const entries =
        resources[0]?.configEntries.map(({ configName, configValue }) => [
          configName,
          configValue,
        ]) ?? [];
      return {
        partitions: topics[0]?.partitions.length,
        settings: Object.fromEntries(entries) as Record<string, string>,
      };
    });
    expect(partitions).toBe(3);
    expect(settings).toMatchObject({
      'cleanup.policy': 'delete',
      'retention.ms': '-1',
      'message.timestamp.type': 'LogAppendTime',
    });
  });

  test.each([
    ['cleanup.policy', 'compact'],
    ['unclean.leader.election.enable', 'true'],
    ['retention.ms', '60000'],
  ])('is refused with %s=%s, by that name', async (name, value) => {
    const topic = `bad-${name}`;
    await makeTopic(kafka, { topic, numPartitions: 1, configEntries: [{ name, value }] });
    await using source = open(topic);
    await expect(source.ready()).rejects.toMatchObject({
      code: 'misconfigured-backend',
      message: expect.stringContaining(`${name} is ${value}`),
    });
    expect(source.health().ok).toBe(false);
  });

  test('is used unchecked with topicCheck "off"', async () => {
    await makeTopic(kafka, {
      topic: 'unchecked',
      numPartitions: 1,
      configEntries: [{ name: 'retention.ms', value: '60000' }],
    });
    await using source = open('unchecked', 'off');
    await source.ready();
  });

  test('is refused with too few partitions', async () => {
    await makeTopic(kafka, { topic: 'few', numPartitions: 2 });
    await using source = open('few', 'off', 3);
    await expect(source.ready()).rejects.toMatchObject({
      code: 'misconfigured-backend',
      message: expect.stringMatching(/2 partitions/),
    });
  });

  test('is warned of where it weakens a promise, and used', async () => {
    await using source = open('single', 'full');
    await leads(source);
    await eventually('all is well', () => source.health().ok);
    expect(source.health()).toMatchObject({
      ok: true,
      warnings: [{ message: expect.stringMatching(/^topic single: it has one replica/) }],
    });
  });

  test('a session of a length that brokers do not allow is named, and placement does without it', async () => {
    const kafkaOption = { brokers: [...kafka.bootstrap] };
    const common = {
      kafka: kafkaOption,
      group: 'g',
      topic: 'short',
      partitions: 1,
      topicCheck: 'safety',
    } as const;
    await using source = kafkaLeadership({ ...common, thresholdMs: 500, sessionTimeoutMs: 300 });
    await leads(source);
    const trouble = await eventually('health() says so', () =>
      source.health().troubles.find(({ code }) => code === 'misconfigured-backend'),
    );
    expect(trouble.message).toMatch(/sessionTimeoutMs/);
    const never = kafkaLeadership({
      ...common,
      guarantee: 'continuous',
      topic: 'beats',
      thresholdMs: 1500,
      sessionTimeoutMs: 300,
    });
    await expect(never.ready()).rejects.toMatchObject({
      code: 'misconfigured-backend',
      message: expect.stringMatching(/sessionTimeoutMs/),
    });
    await never.close();
  });

  test.concurrent.each([
    ['a lease', oftenPruning, { name: 'retention.ms', value: '60000' }],
    [
      'continuous leadership',
      oftenChecking,
      { name: 'message.timestamp.type', value: 'CreateTime' },
    ],
  ] as const)(
    'is checked again while it is used by %s: a setting that breaks a guarantee is trouble until it is corrected, and terms continue',
    async (kind, openLooking, bad) => {
      const topic = `changed-under-${kind.replace(' ', '-')}`;
      const pace = { batch: 1_000_000, stillMs: 0, oldMs: 60_000, checkMs: 100 };
      await using leader = openLooking({
        client: kafkajsClient({ brokers: [...kafka.bootstrap] }),
        topic,
        topicCheck: 'full',
        pace,
        thresholdMs: 9000,
      });
      await leads(leader);
      const token = leader.role(0).term()?.token;
      const { length } = leader.health().warnings;
      await configure(kafka, topic, [bad]);
      const trouble = await eventually('health() says so', () =>
        leader.health().troubles.find(({ code }) => code === 'misconfigured-backend'),
      );
      expect(trouble.message).toMatch(`topic ${topic}: ${bad.name} is ${bad.value}`);
      // All other settings are the brokers' own now.
      expect(leader.health().warnings.length).toBeGreaterThan(length);
      await configure(kafka, topic, [
        { name: 'compression.type', value: 'uncompressed' },
        { name: 'message.timestamp.type', value: 'LogAppendTime' },
      ]);
      await eventually(
        'all is well',
        () => leader.health().ok && leader.health().warnings.length === length,
      );
      expect(leader.role(0).term()?.token).toBe(token);
    },
  );

  test.concurrent('L10: is cut below what is current, pin and all, while others look on; who comes later finds the same', async () => {
    await using leader = small('pruned', 'one');
    await leads(leader);
    // Twice, and by one look: how far it has grown since the last cut is for the machine to say.
    const { current } = await contentOf(
      kafka,
      'pruned',
      ({ start, end }) => start > 20n && end - start < 40n,
    );
    expect(current('g', -1)?.height).toBeGreaterThan(0);
    await using late = small('pruned', 'two');
    await late.ready();
    expect(late.roster().get(0)).toMatchObject({ member: 'one' });
    // Either of them may lead: a lease that is lost on a starved machine may go to either.
    await eventually('both say the same', () => {
      const { token } = leader.role(0).term() ?? late.role(0).term() ?? {};
      return isAt(leader, token) && isAt(late, token) && isWell(leader);
    });
    await leader.close();
    await leads(late);
    await eventually('all is well', () => isWell(late));
    expect(late.health().ignored).toEqual({});
  });

  test.concurrent('L10: the chain of an idle group is carried up, and the topic is cut below it; the group continues from there', async () => {
    const idle = small('carried', 'idle', 'other');
    await leads(idle);
    const token = idle.role(0).term()?.token ?? 0n;
    await idle.close();
    const before = (await contentOf(kafka, 'carried')).current('other', 0);
    await using busy = small('carried', 'busy');
    await leads(busy);
    // Twice over what there was.
    const { current } = await contentOf(kafka, 'carried', ({ start }) => start > 30n);
    const after = current('other', 0);
    expect(after).toEqual({ ...before, id: after?.id, after: after?.after, height: after?.height });
    expect(after?.height).toBeGreaterThan(before?.height ?? 0);
    expect(current('other', -1)?.metadata).toMatchObject({ partitions: '1' });
    await using again = small('carried', 'idle', 'other');
    await leads(again);
    expect(again.role(0).term()?.token).toBeGreaterThan(token);
    await eventually('all is well', () => isWell(busy) && isWell(again));
  });

  test.concurrent('R3: the pin outlives a retention that removes everything old, also where too little is written to cut the topic by', async () => {
    const entries = { 'retention.ms': '8000', 'segment.ms': '500' };
    const configEntries = Object.entries(entries).map(([name, value]) => ({ name, value }));
    await makeTopic(kafka, { topic: 'short-lived', numPartitions: 1, configEntries });
    const pace = { batch: 1_000_000, stillMs: 0, oldMs: 300, checkMs: 60_000 };
    const kafkaOption = { brokers: [...kafka.bootstrap] };
    await using leader = oftenPruning({
      client: kafkajsClient(kafkaOption),
      topic: 'short-lived',
      topicCheck: 'off',
      pace,
    });
    await leads(leader);
    // The brokers have removed what is old.
    const { current } = await contentOf(kafka, 'short-lived', ({ start }) => start > 5n);
    expect(current('g', -1)?.metadata).toMatchObject({ partitions: '1' });
    await eventually('all is well', () => isWell(leader));
  });

  function isWell(source: LeadershipSource): boolean {
    return source.health().troubles.length === 0;
  }

  function isAt(source: LeadershipSource, token: bigint | undefined): boolean {
    return token !== undefined && source.roster().get(0)?.token === token;
  }

  /**
   * A chain must be unchanged for ten of its T before it is carried up, so these groups have a
   * shorter T.
   */
  function small(topic: string, member: string, group?: string): LeadershipSource {
    return oftenPruning({
      client: kafkajsClient({ brokers: [...kafka.bootstrap] }),
      topic,
      member,
      ...(group && { group, thresholdMs: 500 }),
    });
  }
});
