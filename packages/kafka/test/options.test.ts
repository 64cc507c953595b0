import { type LeadershipSource, openLeadership } from '@leadership/core';
import { Kafka, type KafkaConfig, logLevel } from 'kafkajs';
import { describe, expect, it } from 'vitest';
import { heartbeatMsOf } from '../src/group/group-sessions.ts';
import { backend, kafkaLeadership } from '../src/index.ts';

const load = async () => ({ backend });
/** No server listens on this port: a member retries until it is closed. */
const nowhere = '127.0.0.1:1';
const good = { kafka: { brokers: [nowhere] }, group: 'g', topic: 't' };

describe('options', () => {
  it.each([
    [{ topic: '' }, /topic ""/],
    [{ topic: 'a b' }, /topic "a b"/],
    [{ topic: '..' }, /topic/],
    [{ topic: 'x'.repeat(250) }, /topic/],
    [{ kafka: undefined }, /kafka must be/],
    [{ kafka: { brokers: [] } }, /kafka.brokers/],
    [{ kafka: { brokers: 'host:9092' } }, /kafka.brokers/],
    [{ kafka: {} }, /kafka.brokers/],
    [{ kafka: { brokers: [nowhere], ssl: () => ({}) } }, /kafka.ssl is a function: KafkaJS reads/],
    [{ kafka: { brokers: [nowhere], ssl: { ca: () => 'pem' } } }, /kafka.ssl is refused by Node/],
    [
      { kafka: { brokers: [nowhere], sasl: { mechanism: 'plain', password: () => 'p' } } },
      /kafka.sasl.password is a function: .*client: platformatic/,
    ],
    [{ sessionTimeoutMs: 299 }, /sessionTimeoutMs 299/],
    [{ sessionTimeoutMs: 6000.5 }, /sessionTimeoutMs/],
    [{ guarantee: 'some' }, /guarantee "some".*exclusive, continuous/],
    [{ beats: 'all' }, /beats "all" needs guarantee/],
    [{ sessionTimeoutMs: 6000 }, /sessionTimeoutMs 6000 needs guarantee/],
    [{ guarantee: 'continuous', beats: 'some', thresholdMs: 9000 }, /beats "some"/],
    [{ guarantee: 'continuous' }, /thresholdMs 3000 must exceed the session timeout 6000/],
    [{ topicCheck: 'some' }, /topicCheck "some".*full, safety, off/],
    [{ partitions: 10_001 }, /partitions 10001 is more than the 10000 that the Kafka backend/],
    [
      { partitions: 257, guarantee: 'continuous', thresholdMs: 9000 },
      /partitions 257 is more than the 256 that the continuous Kafka backend supports/,
    ],
    [{ kafka: ['a:9092'] }, /kafka must be a configuration of KafkaJS/],
    [{ topics: 'a' }, /unknown option topics; did you mean topic\?/],
    [{ group: '' }, /group/],
  ])('%j are refused before anything connects', (wrong, sentence) => {
    const options = { ...good, ...wrong } as unknown as typeof good;
    expect(() => kafkaLeadership(options)).toThrow(
      expect.objectContaining({
        code: 'invalid-options',
        message: expect.stringMatching(sentence),
      }),
    );
  });

  it('accept a KafkaJS client, and brokers that a function finds', async () => {
    const client = new Kafka({
      brokers: [nowhere],
      logLevel: logLevel.NOTHING,
      retry: { retries: 0 },
    });
    await using one = kafkaLeadership({ ...good, kafka: client });
    await using other = kafkaLeadership({ ...good, kafka: { brokers: () => [nowhere] } });
    for (const source of [one, other]) expect(await troubleOf(source)).toMatch(/^topic t: /);
  });

  it("publish the engine's bound", async () => {
    await using source = kafkaLeadership({ ...good, thresholdMs: 1000 });
    expect(source.guarantees).toEqual({
      exclusive: true,
      tokens: 'ordered',
      handover: 'drained',
      assumes: ['drift', 'durable-store', 'no-suspend'],
      overlapMsMax: 0,
      failoverMsMax: 1000 + 1 + 40,
    });
  });

  it('send heartbeats at least three times a session', () => {
    expect(heartbeatMsOf({ thresholdMs: 3000, sessionTimeoutMs: 6000 })).toBe(500);
    expect(heartbeatMsOf({ thresholdMs: 300, sessionTimeoutMs: 6000 })).toBe(100);
    expect(heartbeatMsOf({ thresholdMs: 60_000, sessionTimeoutMs: 6000 })).toBe(2000);
    expect(heartbeatMsOf({ thresholdMs: 3000, sessionTimeoutMs: 300 })).toBe(100);
  });
});

describe('kafka: URLs', () => {
  it('name brokers, the group and the topic', async () => {
    await using source = await openLeadership(
      'kafka://127.0.0.1:1,127.0.0.1:2/billing?topic=leadership&partitions=2',
      { load },
    );
    expect([source.group, source.partitions]).toEqual(['billing', 2]);
    expect(await troubleOf(source)).toMatch(/127\.0\.0\.1:[12]/);
  });

  it.each([
    ['kafka:g?topic=t', /must name brokers/],
    ['kafka://h/g', /topic/],
    ['kafka://h?topic=t', /group/],
    ['kafka://h/g?topic=t&group=other', /group/],
    ['kafka://h/g?topik=t', /did you mean topic/],
    ['kafka://user:password@h/g?topic=t', /secrets/],
    ['kafka://h/g?topic=t&sessionTimeoutMs=soon', /sessionTimeoutMs/],
    ['kafka://h/g?topic=t&topicCheck=some', /topicCheck/],
  ])('%s is refused before anything connects', async (url, sentence) => {
    await expect(openLeadership(url, { load })).rejects.toMatchObject({
      code: 'invalid-options',
      message: expect.stringMatching(sentence),
    });
  });

  it.each([
    [
      'a ready client',
      () => new Kafka({ brokers: [nowhere], logLevel: logLevel.NOTHING }),
      /kafka is a ready client.*kafkaLeadership/,
    ],
    [
      'other brokers',
      () => ({ brokers: ['other:9092'] }),
      /kafka.brokers is h:9092 in the URL, but other:9092 in the options/,
    ],
    [
      'brokers that a function finds',
      () => ({ brokers: () => ['h:9092'] }),
      /kafka.brokers is h:9092 in the URL, but a function in the options/,
    ],
  ])('are refused beside %s', async (_what, kafka, sentence) => {
    const options = { load, kafka: kafka() as KafkaConfig };
    await expect(openLeadership('kafka://h/g?topic=t', options)).rejects.toMatchObject({
      code: 'invalid-options',
      message: expect.stringMatching(sentence),
    });
  });
});

async function troubleOf(source: LeadershipSource): Promise<string> {
  for (let looks = 0; looks < 2000; looks += 1) {
    const [trouble] = source.health().troubles;
    if (trouble) return trouble.message;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error('no trouble came');
}
