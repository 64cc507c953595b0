import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '@leadership/testkit/adapter';
import type { MemberEvent } from '@leadership/testkit/faults';
import { hasKafka, type KafkaCluster, startKafka } from '@leadership/tools/kafka';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  isTroubled,
  type MemberProcesses,
  startGroup,
  thresholdMs,
} from './support/member-processes.ts';
import { administered, deleteTopic, makeTopic } from './support/topics.ts';
import { contentOf } from './support/with-topic.ts';

const config = {
  'broker.session.timeout.ms': 2000,
  'broker.heartbeat.interval.ms': 500,
  // Where logs start is written down once an hour: what was cut since is forgotten by a broker that
  // is killed.
  'log.flush.start.offset.checkpoint.interval.ms': 3_600_000,
};
const options = { brokers: 1, faults: true, config } as const;

describe.runIf(await hasKafka(options))('on one broker', () => {
  let kafka: KafkaCluster;
  beforeAll(async () => {
    kafka = await startKafka(options);
  });
  beforeEach(async () => {
    kafka.broker(1).proxy?.mend();
    if (!kafka.broker(1).isRunning) await kafka.broker(1).start();
  });
  afterAll(() => kafka[Symbol.asyncDispose]());

  const crewOn = (topic: string, group = topic): MemberProcesses =>
    startGroup({ bootstrap: kafka.bootstrap, topic, group });
  const restart = async (): Promise<void> => {
    await kafka.broker(1).kill();
    await kafka.broker(1).start();
  };

  test('answers to writes are lost for longer than T, but the writes succeed: no member leads by a write that it has not read', async () => {
    await using members = crewOn('unanswered');
    await members.joinAll('a', 'b', 'c');
    let last = await members.leader();
    for (const wayMs of [1.5 * thresholdMs, 3 * thresholdMs]) {
      kafka.broker(1).proxy?.cutOneWay('to-client');
      await pause(wayMs);
      kafka.broker(1).proxy?.mend();
      last = await members.leader(0, last);
    }
    members.assertSound(3);
  });

  test('all messages are delayed by 2 T: no member keeps a lease, two never lead, and one leads again afterwards', async () => {
    await using members = crewOn('delayed');
    await members.joinAll('a', 'b', 'c');
    const before = await members.leader();
    kafka.broker(1).proxy?.delay(2 * thresholdMs);
    await pause(6 * thresholdMs);
    kafka.broker(1).proxy?.mend();
    await members.leader(0, before);
    members.assertSound(2);
  });

  test('half-open connections: as if cut', async () => {
    await using members = crewOn('half-open');
    await members.joinAll('a', 'b');
    const before = await members.leader();
    kafka.broker(1).proxy?.halfOpen();
    await before.member.until(({ kind }) => kind === 'fenced');
    await pause(thresholdMs);
    kafka.broker(1).proxy?.mend();
    await members.leader(0, before);
    members.assertSound(2);
  });

  test('the log loses its tail (L11): leaders by what is lost stop, two never lead, tokens grow', async () => {
    await using members = crewOn('tail');
    await members.joinAll('a', 'b', 'c');
    const first = await members.leader();
    const copy = await kafka.broker(1).copyData();
    first.member.resign(0);
    const lost = await members.leader(0, first);
    await pause(2 * thresholdMs);
    await kafka.broker(1).kill();
    await copy.putBack();
    await kafka.broker(1).start();
    const next = await members.leader(0, lost);
    await next.member.kill();
    await members.leader(0, next);
    members.assertSound(4);
  });

  test('the log is cut as far as it may be, and the broker killed right after: its start moves back, the chain does not (L10)', async () => {
    await using members = crewOn('moved-start');
    await members.joinAll('a', 'b');
    const first = await members.leader();
    const { end } = await contentOf(kafka, 'moved-start', (content) => content.end > 8n);
    const offset = String(end - 2n);
    await administered(kafka, async (admin) => {
      await admin.fetchTopicMetadata({ topics: ['moved-start'] });
      await admin.deleteTopicRecords({
        topic: 'moved-start',
        partitions: [{ partition: 0, offset }],
      });
    });
    expect((await contentOf(kafka, 'moved-start')).start).toBe(BigInt(offset));
    await restart();
    const { start } = await contentOf(kafka, 'moved-start');
    expect(start).toBeLessThan(BigInt(offset));
    await members.joinAll('c');
    const second = await members.leader();
    second.member.resign(0);
    const third = await members.leader(0, second);
    expect(third.acquired.token).toBeGreaterThan(first.acquired.token ?? 0n);
    members.assertSound(2);
  });

  test('the topic is deleted under its leader: it is fenced, health says why, the topic is made again, and tokens grow', async () => {
    await using members = crewOn('deleted');
    await members.joinAll('a', 'b');
    let before = await members.leader();
    for (const makesIt of ['its members', 'an operator', 'an operator', 'an operator']) {
      const { member, acquired } = before;
      await deleteTopic(kafka, 'deleted');
      if (makesIt === 'an operator')
        await makeTopic(kafka, { topic: 'deleted', numPartitions: 1 }).catch(() => undefined);
      await member.until(({ kind, atNs }) => kind === 'fenced' && atNs > acquired.atNs);
      // It still stands, or was said in this round: it may be mended before anybody looks.
      const saysWhy = ({ kind, detail: of, atNs }: MemberEvent): boolean =>
        kind === 'health' && of === 'trouble assumption-broken' && atNs > acquired.atNs;
      const isReported = (): boolean =>
        isTroubled(member, 'assumption-broken') || member.events.some(saysWhy);
      await eventually('health() says why', isReported);
      const next = await members.leader(0, before);
      expect(next.acquired.token).toBeGreaterThan(acquired.token ?? 0n);
      before = next;
    }
    members.assertSound(5);
  });

  test('the topic is deleted and cannot be recreated: leaders are fenced, health() reports why, and tokens grow once it exists again', async () => {
    await using members = crewOn('gone');
    await members.joinAll('a', 'b');
    const before = await members.leader();
    // Past the proxy: they find the topic gone once they are back.
    kafka.broker(1).proxy?.cut();
    await deleteTopic(kafka, 'gone');
    await before.member.until(({ kind }) => kind === 'fenced');
    await before.member.until(
      ({ kind, detail }) => kind === 'health' && detail === 'trouble unreachable',
    );
    await makeTopic(kafka, { topic: 'gone', numPartitions: 3 });
    kafka.broker(1).proxy?.mend();
    const next = await members.leader(0, before);
    expect(next.acquired.token).toBeGreaterThan(before.acquired.token ?? 0n);
    members.assertSound(2);
  });

  test('a member waits for a broker that is unavailable at the start', async () => {
    await kafka.broker(1).kill();
    await using members = crewOn('late');
    const early = await members.join('a');
    await early.until(({ kind, detail }) => kind === 'health' && detail === 'trouble unreachable');
    await kafka.broker(1).start();
    await early.until(({ kind }) => kind === 'ready', 60_000);
    await members.leader();
    members.assertSound(1);
  });
});
