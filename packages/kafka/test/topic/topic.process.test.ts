import type { LeadershipSource } from '@leadership/core';
import { pinName } from '@leadership/core/internal/rows';
import { eventually } from '@leadership/testkit/adapter';
import { hasKafka, type KafkaCluster, startKafka } from '@leadership/tools/kafka';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { kafkaLeadership } from '../../src/index.ts';
import type { KafkaClient } from '../../src/kafka-client.ts';
import { kafkajsClient } from '../../src/kafkajs/kafkajs-client.ts';
import { kafkaShards } from '../../src/rows.ts';
import { parsePin } from '../../src/topic/pin-record.ts';
import type { TopicCheck } from '../../src/topic/topic.ts';
import { publishedPin } from '../support/first-releases.ts';
import { oftenChecking } from '../support/often-checking.ts';
import { oftenCopying } from '../support/often-copying.ts';
import { memberOf } from '../support/rows-store.ts';
import { administered, configure, makeTopic } from '../support/topics.ts';
import { contentOf, withTopic } from '../support/with-topic.ts';

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

  test('is made with what leases need', async () => {
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
    const configEntries = [{ name: 'max.message.bytes', value: '100000' }];
    await makeTopic(kafka, { topic: 'single', numPartitions: 1, configEntries });
    await using source = open('single', 'full');
    await leads(source);
    await eventually('all is well', () => source.health().ok);
    const messages = source.health().warnings.map(({ message }) => message);
    expect(messages.join()).toMatch(/topic single: it has one replica/);
    expect(messages.join()).toMatch(/max\.message\.bytes is 100000/);
  });

  test('a session of a length that brokers do not allow is named', async () => {
    const never = kafkaLeadership({
      kafka: { brokers: [...kafka.bootstrap] },
      group: 'g',
      partitions: 1,
      topicCheck: 'safety',
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
    ['a lease', oftenCopying, { name: 'retention.ms', value: '60000' }],
    [
      'continuous leadership',
      oftenChecking,
      { name: 'message.timestamp.type', value: 'CreateTime' },
    ],
  ] as const)(
    'is checked again while it is used by %s: a setting that breaks a guarantee is trouble until it is corrected, and terms continue',
    async (kind, openLooking, bad) => {
      const topic = `changed-under-${kind.replace(' ', '-')}`;
      const pace = { checkMs: 100 };
      await using leader = openLooking({
        client: kafkajsClient({ brokers: [...kafka.bootstrap] }),
        topic,
        topicCheck: 'full',
        pace,
        // Terms must outlast a busy machine.
        thresholdMs: 20_000,
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

  test.concurrent('is cut below the copy before the last, while others look on; who comes later finds the same', async () => {
    await using leader = small('pruned', 'one');
    await leads(leader);
    await contentOf(kafka, 'pruned', ({ start, end }) => start > 20n && end - start < 60n);
    await using late = small('pruned', 'two');
    // The leader may lose its lease on a busy machine.
    await eventually('both say the same', () => areAt(leader, late) && isWell(leader));
    await leader.close();
    await leads(late);
    await eventually('all is well', () => isWell(late));
    expect(late.health().ignored).toEqual({});
  });

  test.concurrent('keeps the rows and the pin of an idle group when it is cut; the group continues from there', async () => {
    const idle = small('carried', 'idle', 'other');
    await leads(idle);
    const token = idle.role(0).term()?.token ?? 0n;
    await idle.close();
    await using busy = small('carried', 'busy');
    await leads(busy);
    const { end } = await contentOf(kafka, 'carried');
    const { values } = await contentOf(kafka, 'carried', ({ start }) => start > end);
    expect(pinsIn(values)).toContain('other');
    await using again = small('carried', 'idle', 'other');
    await leads(again);
    expect(again.role(0).term()?.token).toBeGreaterThan(token);
    await eventually('all is well', () => isWell(busy) && isWell(again));
  });

  test.concurrent('is read on where a segment ends: a broker answers from one segment', async () => {
    const configEntries = [{ name: 'segment.ms', value: '100' }];
    await makeTopic(kafka, { topic: 'segments', numPartitions: 1, configEntries });
    const openOne = (member: string): LeadershipSource =>
      oftenCopying({ ...connected(), topic: 'segments', member, pace: {} });
    await using leader = openOne('one');
    await leads(leader);
    await contentOf(kafka, 'segments', ({ end }) => end > 20n);
    await using late = openOne('late');
    await eventually('both say the same', () => areAt(leader, late));
  });

  test.concurrent('R3: the pin outlives a retention that removes everything old, also where too few entries are written to cut the topic by', async () => {
    const entries = { 'retention.ms': '8000', 'segment.ms': '500' };
    const configEntries = Object.entries(entries).map(([name, value]) => ({ name, value }));
    await makeTopic(kafka, { topic: 'short-lived', numPartitions: 1, configEntries });
    const common = { topic: 'short-lived', topicCheck: 'off' } as const;
    const openOne = (member: string): LeadershipSource =>
      oftenCopying({ ...connected(), ...common, member, pace: { copyAfterMs: 300 } });
    await using leader = openOne('one');
    await leads(leader);
    // The brokers have removed what is old.
    const { values } = await contentOf(kafka, 'short-lived', ({ start }) => start > 5n);
    expect(pinsIn(values)).toContain('g');
    await using late = openOne('late');
    await eventually('a later member sees the leader', () => late.role(0).leader() !== undefined);
    await eventually('all is well', () => isWell(leader));
  });

  test.concurrent('R3: is not cut under a group of the first releases, which is refused', async () => {
    await makeTopic(kafka, { topic: 'earlier', numPartitions: 1 });
    await withTopic(kafka, 'earlier', ({ append }) => append(0, publishedPin));
    await using member = small('earlier', 'one', 'old');
    await expect(member.ready()).rejects.toMatchObject({
      code: 'partitions-differ',
      message: expect.stringMatching(/no leases by session/),
    });
    await using beside = small('earlier', 'two', 'new');
    await expect(beside.ready()).rejects.toMatchObject({
      code: 'misconfigured-backend',
      message: expect.stringMatching(/group "old" of an earlier release.*another topic/),
    });
    const { start, values } = await contentOf(kafka, 'earlier', ({ end }) => end > 0n);
    expect([start, values[0]]).toEqual([0n, publishedPin]);
  });

  test.concurrent('R3: a lease and continuous leadership refuse the group of each other', async () => {
    const common = { kafka: { brokers: [...kafka.bootstrap] }, partitions: 1 };
    const beats = { guarantee: 'continuous', thresholdMs: 9000 } as const;
    const openIn = (group: string, own: object): LeadershipSource =>
      kafkaLeadership({ ...common, topic: 'kinds', topicCheck: 'safety', group, ...own });
    const differs = (message: RegExp): object => ({
      code: 'partitions-differ',
      message: expect.stringMatching(message),
    });
    await using lease = openIn('a', {});
    await leads(lease);
    await using notLease = openIn('a', beats);
    await expect(notLease.ready()).rejects.toMatchObject(differs(/guarantee "exclusive"/));
    await using leading = openIn('b', beats);
    await leads(leading);
    await using notBeats = openIn('b', {});
    await expect(notBeats.ready()).rejects.toMatchObject(differs(/guarantee "continuous"/));
    await using observer = openIn('b', { campaign: false });
    await expect(observer.ready()).rejects.toMatchObject(differs(/guarantee "continuous"/));
  });

  test.concurrent('R3: a continuous group is refused in every partition that leases use', async () => {
    await makeTopic(kafka, { topic: 'taken', numPartitions: 3 });
    const taken = publishedPin.replace('"metadata":{', '"metadata":{"guarantee":"continuous",');
    await withTopic(kafka, 'taken', ({ append }) => append(0, taken));
    const { client } = connected();
    const stores = kafkaShards(memberOf(client, { group: 'old', topic: 'taken', partitions: 3 }));
    const signal = AbortSignal.timeout(60_000);
    const changes = [{ name: pinName, expected: null, text: 'first' }];
    const [first, second] = [stores.open(0), stores.open(1)];
    try {
      for (const rows of [first, second]) {
        await rows.open?.(signal, true);
        const exchanged = rows.exchange({ changes, since: undefined }, signal);
        await expect(exchanged).rejects.toMatchObject({ code: 'partitions-differ' });
      }
    } finally {
      await Promise.all([first.close(), second.close()]);
    }
  });

  function connected(): { readonly client: KafkaClient } {
    return { client: kafkajsClient({ brokers: [...kafka.bootstrap] }) };
  }

  function isWell(source: LeadershipSource): boolean {
    return source.health().troubles.length === 0;
  }

  /** Either of them may lead: a lease that is lost on a starved machine may go to either. */
  function areAt(one: LeadershipSource, other: LeadershipSource): boolean {
    const { token } = one.role(0).term() ?? other.role(0).term() ?? {};
    const known = [one, other].map((source) => source.roster().get(0)?.token);
    return token !== undefined && known.every((seen) => seen === token);
  }

  function small(
    topic: string,
    member: string,
    group = 'g',
    topicCheck: TopicCheck = 'safety',
  ): LeadershipSource {
    return oftenCopying({ ...connected(), topic, member, group, topicCheck, thresholdMs: 500 });
  }
});

/** Returns the groups whose pins are among the records. */
function pinsIn(values: readonly (string | null)[]): readonly string[] {
  return values.flatMap((value) => {
    const pin = parsePin(value === null ? null : Buffer.from(value));
    return pin === undefined ? [] : [pin.group];
  });
}
