import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '@leadership/testkit/adapter';
import type { MemberEvent, ProcessMember } from '@leadership/testkit/faults';
import { hasKafka, type KafkaBroker, type KafkaCluster, startKafka } from '@leadership/tools/kafka';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { kafkaLeadership } from '../src/index.ts';
import { type ClientName, clientNames, connectedBy } from './support/clients.ts';
import {
  isTroubled,
  type Leading,
  type MemberProcesses,
  startGroup,
  thresholdMs,
} from './support/member-processes.ts';
import { settled, termChangesSince } from './support/term-changes.ts';
import { administered, insyncOf, makeTopic } from './support/topics.ts';

/** A starved leader may lose its lease for that reason alone: the number of repetitions. */
const goesMax = 3;
/**
 * A partition changes its leader at most once in 2 T (L9), so the placement is stable after that
 * time, in milliseconds.
 */
const quietMs = 2.5 * thresholdMs;
/** Brokers miss one another sooner than stock ones (9 s), which costs a test as much time. */
const options = {
  brokers: 3,
  faults: true,
  config: { 'broker.session.timeout.ms': 3000, 'broker.heartbeat.interval.ms': 500 },
} as const;

describe.runIf(await hasKafka(options))('on three brokers, members of both clients', () => {
  let kafka: KafkaCluster;
  beforeAll(async () => {
    kafka = await startKafka(options);
  });
  beforeEach(async () => {
    for (const broker of kafka.brokers) broker.proxy?.mend();
    for (const broker of kafka.brokers) if (!broker.isRunning) await broker.start();
  });
  afterAll(() => kafka[Symbol.asyncDispose]());

  /** Every second member uses the other client, as while a deployment changes it. */
  const crewOn = (
    topic: string,
    partitions = 1,
    first: ClientName = 'kafkajs',
    leaseMs = thresholdMs,
  ): MemberProcesses =>
    startGroup({
      bootstrap: kafka.bootstrap,
      topic,
      options: { partitions, thresholdMs: leaseMs },
      query: (nth) =>
        `&client=${clientNames[(nth + clientNames.indexOf(first)) % clientNames.length]}`,
    });

  test('a broker that leads partitions is killed, and comes back: never two leaders, and leaders again on all partitions', async () => {
    await using members = crewOn('killed', 3);
    await members.joinAll('a', 'b', 'c');
    const before = await Promise.all([0, 1, 2].map((partition) => members.leader(partition)));
    const broker = kafka.broker(await kafka.leaderOf('killed', 0));
    await broker.kill();
    const moved = await members.leader(0, before[0]);
    await broker.start();
    await moved.member.kill();
    await Promise.all([0, 1, 2].map((partition) => members.leader(partition)));
    const again = await members.leader(0, moved);
    again.member.resign(0);
    await members.leader(0, again);
    members.assertSound(6);
  });

  test('partitions on other brokers keep their leaders and terms while one broker is frozen', async () => {
    // Without replicas: a follower that is frozen holds back what a leader may show, until the
    // leader has written it off.
    await makeTopic(kafka, { topic: 'frozen', numPartitions: 3, replicationFactor: 1 });
    await using members = crewOn('frozen', 3);
    await members.joinAll('a', 'b');
    const leaders = (): Promise<readonly Leading[]> =>
      Promise.all([0, 1, 2].map((partition) => members.leader(partition)));
    await leaders();
    const led = await Promise.all(
      [0, 1, 2].map((partition) => kafka.leaderOf('frozen', partition)),
    );
    const frozen = kafka.broker(led[0] ?? 0);
    await assertKept(async () => {
      await settled(members.members, 3, 2, quietMs);
      const kept = (await leaders()).filter((_, partition) => led[partition] !== frozen.id);
      frozen.pause();
      await pause(2 * thresholdMs);
      frozen.resume();
      return kept;
    });
    members.assertSound(3);
  });

  test('a broker that leads a partition is down: its leader stops, and no other one begins before it answers', async () => {
    await makeTopic(kafka, { topic: 'placed', numPartitions: 3, replicationFactor: 3 });
    await using members = crewOn('placed', 3);
    await members.joinAll('a', 'b', 'c');
    const partition = 1;
    const broker = kafka.broker(await kafka.leaderOf('placed', partition));
    // Checked last: partitions move while members join, and a member that released one is not
    // fenced.
    const leading = await members.leader(partition);
    broker.proxy?.cut();
    const cut = await leading.member.until(
      ({ kind, partition: of, atNs }) =>
        (kind === 'fenced' || kind === 'released') &&
        of === partition &&
        atNs > leading.acquired.atNs,
    );
    if (cut.kind === 'fenced') expect(cut.detail).toBe('expired');
    await pause(2 * thresholdMs);
    broker.proxy?.mend();
    const next = await members.leader(partition, leading);
    expect(next.acquired.atNs).toBeGreaterThan(cut.atNs);
    members.assertSound(4);
  });

  test.each([
    [
      'killed',
      'kafkajs',
      (broker: KafkaBroker) => broker.kill(),
      (broker: KafkaBroker) => broker.start(),
    ],
    [
      'cut off',
      'platformatic',
      (broker: KafkaBroker) => broker.proxy?.cut(),
      (broker: KafkaBroker) => broker.proxy?.mend(),
    ],
  ] as const)(
    'a member starts while the broker of partition 0 is %s: it waits and says so, and the others go on (%s)',
    async (how, client, befall, mend) => {
      const topic = `started-${how.replace(' ', '-')}`;
      // Without replicas no other broker can lead partition 0, which stores the pin.
      const replicaAssignment = [1, 2, 3].map((node, partition) => ({
        partition,
        replicas: [node],
      }));
      await makeTopic(kafka, { topic, replicaAssignment });
      // The first and the third member use that client.
      await using members = crewOn(topic, 3, client);
      await members.joinAll('a', 'b');
      await Promise.all([0, 1, 2].map((partition) => members.leader(partition)));
      await pause(3 * thresholdMs);
      await befall(kafka.broker(1));
      const late = await members.join('late');
      await eventually('it says so', () => isTroubled(late, 'unreachable'));
      await pause(2 * thresholdMs);
      const fromNs = process.hrtime.bigint();
      for (const partition of [1, 2])
        await eventually('the others go on', () =>
          members.members.some(leadsSince(partition, fromNs)),
        );
      expect(late.events.filter(({ kind }) => kind === 'ready' || kind === 'acquired')).toEqual([]);
      await mend(kafka.broker(1));
      await late.until(({ kind }) => kind === 'ready', 60_000);
      await eventually('it leads its share', () =>
        late.events.some(({ kind }) => kind === 'acquired'),
      );
      members.assertSound(4);
    },
  );

  test('a partition of a foreign topic has no leader: members start all the same, on a topic that exists and on one that they make', async () => {
    await makeTopic(kafka, {
      topic: 'foreign',
      replicaAssignment: [{ partition: 0, replicas: [3] }],
    });
    await makeTopic(kafka, {
      topic: 'beside',
      replicaAssignment: [{ partition: 0, replicas: [1, 2] }],
    });
    await kafka.broker(3).kill();
    await eventually(
      'no broker leads the partition of the foreign topic',
      async () => (await kafka.leaderOf('foreign', 0).catch(() => -1)) < 0,
    );
    const common = { partitions: 1, thresholdMs, topicCheck: 'full' } as const;
    await Promise.all(
      clientNames.map(async (client) => {
        for (const topic of ['beside', `made-beside-${client}`]) {
          const connected = { ...common, ...connectedBy(client, kafka) };
          const source = kafkaLeadership({ ...connected, group: client, topic });
          await eventually(`a member leads on topic ${topic}`, () => source.role(0).isLeading());
          await source.close();
        }
      }),
    );
  });

  test('every broker goes away and comes back, one after the other: short leases move, and no term of longer ones ends', async () => {
    const leaseMs = 6 * thresholdMs;
    await makeTopic(kafka, { topic: 'restarted', numPartitions: 3, replicationFactor: 3 });
    await using brief = crewOn('rolled', 2);
    await using members = crewOn('restarted', 3, 'kafkajs', leaseMs);
    await Promise.all([brief.joinAll('d', 'e'), members.joinAll('a', 'b', 'c')]);
    const briefly = (): Promise<readonly Leading[]> =>
      Promise.all([0, 1].map((partition) => brief.leader(partition)));
    await assertKept(async () => {
      await settled(members.members, 3, 3, 2.5 * leaseMs);
      const leading = await Promise.all([0, 1, 2].map((partition) => members.leader(partition)));
      for (const broker of kafka.brokers) {
        await broker.stop();
        await pause(thresholdMs);
        await broker.start();
        await eventually('all replicas are in sync', async () => {
          const insync = await insyncOf(kafka, 'restarted');
          return insync.filter(({ length }) => length === 3).length === 3;
        });
        await briefly();
      }
      await pause(leaseMs);
      return leading;
    });
    const [first] = await briefly();
    first?.member.resign(0);
    await brief.leader(0, first);
    brief.assertSound(3);
    members.assertSound(3);
  });

  test('an old leader answers alone after another one has led: its members lose their terms, no member leads by what it shows, and tokens grow (M1, M6)', async () => {
    await makeTopic(kafka, {
      topic: 'isolated',
      replicaAssignment: [{ partition: 0, replicas: [1, 2, 3] }],
    });
    await using members = crewOn('isolated');
    await members.joinAll('a', 'b');
    const first = await members.leader();
    const old = kafka.broker(await kafka.leaderOf('isolated', 0));
    const others = kafka.brokers.filter((broker) => broker !== old);
    old.pause();
    const next = await members.leader(0, first);
    const endAt = (brokers: readonly KafkaBroker[]): Promise<number> =>
      eventually('these brokers show the log', async () => {
        const direct = brokers.map((broker) => broker.direct);
        const ends = administered({ direct }, (admin) => admin.fetchTopicOffsets('isolated'));
        return Number((await ends.catch(() => []))[0]?.high ?? 0);
      });
    const end = await endAt(others);
    // From now on the old leader is the only broker that answers.
    for (const broker of others) broker.pause();
    old.resume();
    const fenced = await next.member.until(
      ({ kind, atNs }) => kind === 'fenced' && atNs > next.acquired.atNs,
    );
    expect(await endAt([old])).toBeLessThan(end);
    await members.join('late');
    await pause(4 * thresholdMs);
    const begun = termChangesSince(members.members, fenced.atNs);
    expect(begun.filter(({ kind }) => kind === 'acquired')).toEqual([]);
    for (const broker of others) broker.resume();
    const last = await members.leader(0, next);
    expect(last.acquired.token).toBeGreaterThan(next.acquired.token ?? 0n);
    last.member.resign(0);
    await members.leader(0, last);
    members.assertSound(4);
  });

  /** The terms that are answered go on: but for those that expired, and not every time. */
  async function assertKept(look: () => Promise<readonly Leading[]>): Promise<void> {
    for (let go = 1; ; go += 1) {
      const ends = (await look()).flatMap(({ member, acquired }) =>
        termChangesSince([member], acquired.atNs).filter(isEndOf(acquired)),
      );
      const reported = ends.map(
        ({ member, partition, kind, detail }) => `${member} ${partition} ${kind} ${detail}`,
      );
      if (go === goesMax || ends.some(({ detail }) => detail !== 'expired'))
        expect(reported).toEqual([]);
      if (ends.length === 0) return;
    }
  }

  /** Says of a member whether it proved since then that it leads. */
  function leadsSince(of: number, fromNs: bigint): (member: ProcessMember) => boolean {
    return ({ events }) =>
      events.some(
        ({ kind, partition, atNs }) =>
          partition === of && atNs > fromNs && (kind === 'prolonged' || kind === 'acquired'),
      );
  }
});

function isEndOf({ partition, token }: MemberEvent): (turn: MemberEvent) => boolean {
  return (turn) => turn.kind !== 'acquired' && turn.partition === partition && turn.token === token;
}
