import { eventually } from '@leadership/testkit/adapter';
import { hasKafka, startKafka } from '@leadership/tools/kafka';
import { describe, expect, test } from 'vitest';
import { isTroubled, startGroup } from './support/member-processes.ts';
import { configure, type Entry, insyncOf, makeTopic } from './support/topics.ts';
import { withTopic } from './support/with-topic.ts';

const options = {
  brokers: 3,
  faults: true,
  config: { 'broker.session.timeout.ms': 3000, 'broker.heartbeat.interval.ms': 500 },
} as const;
/**
 * The lease is longer than the election of another broker: at least two thirds of it are left then.
 * Milliseconds.
 */
const thresholdMs = 20_000;
const [clean, unclean] = ['false', 'true'].map((value) => ({
  name: 'unclean.leader.election.enable',
  value,
})) as [Entry, Entry];
/** A record that is lost together with the earlier records that the other replica lacks. */
const marker = 'acknowledged';
const single = { name: 'min.insync.replicas', value: '1' };

describe.runIf(await hasKafka(options))('an unclean election', () => {
  test('fences a leader by a record that is lost, which believes still; two never lead, and tokens grow (L11)', async () => {
    await using kafka = await startKafka(options);
    const topic = 'unclean';
    await makeTopic(kafka, {
      topic,
      replicaAssignment: [{ partition: 0, replicas: [1, 2] }],
      configEntries: [clean, single],
    });
    await using members = startGroup({
      bootstrap: kafka.bootstrap,
      topic,
      options: { thresholdMs },
    });
    await members.joinAll('a', 'b', 'c');
    const first = await members.leader();
    // Behind the backs of members, who looked at the topic when they started.
    await configure(kafka, topic, [unclean, single]);
    kafka.broker(2).pause();
    await eventually(
      'one replica is in sync',
      async () => (await insyncOf(kafka, topic))[0]?.join() === '1',
    );
    first.member.resign(0);
    const lost = await members.leader(0, first);
    await withTopic(kafka, topic, ({ append }) => append(0, marker));
    await kafka.broker(1).kill();
    kafka.broker(2).resume();
    const fenced = await lost.member.until(({ kind }) => kind === 'fenced', 60_000);
    expect(fenced.detail).not.toBe('expired');
    await eventually('health() says why', () => isTroubled(lost.member, 'assumption-broken'));
    const next = await members.leader(0, lost);
    expect(next.acquired.token).toBeGreaterThan(lost.acquired.token ?? 0n);
    await kafka.broker(1).start();
    next.member.resign(0);
    await members.leader(0, next);
    const { values } = await withTopic(kafka, topic, ({ read }) => read(0));
    expect(values).not.toContain(marker);
    members.assertSound(4);
  });
});
