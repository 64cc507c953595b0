import { setTimeout as pause } from 'node:timers/promises';
import type { LeadershipSource } from '@leadership/core';
import { eventually } from '@leadership/testkit/adapter';
import { hasKafka, type KafkaCluster, startKafka } from '@leadership/tools/kafka';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { kafkaLeadership } from '../src/index.ts';
import { memberConnections } from './support/member-connections.ts';
import { startGroup } from './support/member-processes.ts';
import { ownProxies } from './support/own-proxies.ts';

const config = { 'group.min.session.timeout.ms': 300 };
/**
 * T covers a session and a rebalance, so that a disconnected leader leaves no gap (I4).
 * Milliseconds.
 */
const [sessionTimeoutMs, thresholdMs] = [1000, 3000];
/**
 * The same with a reserve of seconds for the search of gaps: all members share a process that may
 * be starved. Milliseconds.
 */
const spare = { sessionTimeoutMs: 2000, thresholdMs: 7000 };

describe.runIf(await hasKafka({ brokers: 1, config }))('continuous leadership', () => {
  let kafka: KafkaCluster;
  beforeAll(async () => {
    kafka = await startKafka({ brokers: 1, config, proxied: false });
  });
  afterAll(() => kafka[Symbol.asyncDispose]());

  const connections = memberConnections();
  const open = (topic: string, member: string, beats: 'all' | 'owner'): LeadershipSource =>
    connections.track((socketFactory) =>
      kafkaLeadership({
        kafka: { brokers: [...kafka.bootstrap], socketFactory },
        group: 'g',
        topic,
        member,
        partitions: 1,
        ...spare,
        beats,
        guarantee: 'continuous',
        topicCheck: 'safety',
      }),
    );

  test.each([
    ['exclusive', 'continuous'],
    ['continuous', 'exclusive'],
  ] as const)(
    'R3: a group that promises %s refuses a member configured as %s, which never leads',
    async (promised, other) => {
      const topic = `promised-${promised}`;
      const common = {
        kafka: kafka.client(),
        group: 'g',
        topic,
        partitions: 2,
        thresholdMs,
        topicCheck: 'safety',
      } as const;
      const openOne = (member: string, guarantee: 'exclusive' | 'continuous'): LeadershipSource => {
        const session = guarantee === 'continuous' ? { sessionTimeoutMs } : {};
        return kafkaLeadership({ ...common, ...session, member, guarantee });
      };
      await using one = openOne('one', promised);
      await eventually('one leads', () => leads(one));
      const newcomer = openOne('newcomer', other);
      await expect(newcomer.ready()).rejects.toMatchObject({
        code: 'partitions-differ',
        message: expect.stringMatching(`guarantee "${promised}".*guarantee "${other}"`),
      });
      expect(newcomer.health().ok).toBe(false);
      expect(leads(newcomer)).toBe(false);
      await newcomer.close();
      // The records of both do no harm: the next member with the same guarantee becomes ready.
      await using next = openOne('next', promised);
      await next.ready();
      expect(one.health().ok).toBe(true);
      expect(leads(one)).toBe(true);
    },
  );

  test.each(['owner', 'all'] as const)(
    'I1: a planned move leaves no gap, with beats of %s',
    async (beats) => {
      const one = open(`moved-${beats}`, 'one', beats);
      await using other = open(`moved-${beats}`, 'other', beats);
      const leader = await eventually('one of them leads', () => [one, other].find(leads));
      const next = leader === one ? other : one;
      await next.ready();
      using seen = watch([one, other]);
      await leader.close();
      await eventually('the other leads', () => leads(next));
      expect(seen.longestGapMs).toBe(0);
      await one.close();
    },
  );

  test('I4: a member that is cut off leaves no gap, and the overlap is no longer than was promised', async () => {
    await using one = open('cut', 'one', 'owner');
    await using other = open('cut', 'other', 'owner');
    const leader = await eventually('one of them leads', () => [one, other].find(leads));
    const next = leader === one ? other : one;
    await next.ready();
    using seen = watch([one, other]);
    const cut = connections.cut(leader);
    await eventually('the other leads', () => leads(next));
    await eventually('the disconnected member has stopped leading', () => !leads(leader));
    expect(seen.longestGapMs).toBe(0);
    const { overlapMsMax } = leader.guarantees;
    expect(seen.overlapMs).toBeLessThanOrEqual(Number(overlapMsMax));
    cut[Symbol.dispose]();
    await pause(spare.sessionTimeoutMs);
    await eventually('it is in the group again', () => leader.health().ok, {
      details: () => `: ${JSON.stringify(leader.health())}`,
    });
  });

  // The session is longer than the stop, so no other member takes over and keeps the leader from
  // leading.
  test.concurrent.each(['owner', 'all'] as const)(
    'I2: a backlog of beats of %s is as old as the beats, whenever it is read',
    async (beats) => {
      const query = `&guarantee=continuous&sessionTimeoutMs=${thresholdMs - 100}&beats=${beats}`;
      await using connections = await ownProxies(kafka);
      await using members = startGroup({
        bootstrap: kafka.bootstrap,
        topic: `backlog-${beats}`,
        query,
        options: { thresholdMs },
      });
      const starved = await members.join('starved', connections.module);
      await members.leader();
      await members.joinAll('other');
      // Some beats are always in flight to the member when it stops.
      for (const proxy of connections.proxies) proxy.delay(thresholdMs / 20);
      await pause(thresholdMs);
      starved.pause();
      // From now on it can renew no proof.
      for (const proxy of connections.proxies) proxy.cutOneWay('to-server');
      await pause(0.8 * thresholdMs);
      const resumedNs = process.hrtime.bigint();
      starved.resume();
      await starved.until(({ kind, atNs }) => kind === 'fenced' && atNs > resumedNs);
      await pause(thresholdMs / 4);
      const untilNs = starved.events
        .map((event) => event.untilNs ?? 0n)
        .reduce((latest, one) => (one > latest ? one : latest));
      expect(Number(untilNs - resumedNs) / 1e6).toBeLessThan(0.8 * thresholdMs);
    },
  );

  // It reads that others lead already. That keeps it from leading, and so does the age of the
  // beats.
  test.concurrent('I2: a member that wakes to a backlog of beats does not lead by them', async () => {
    const query = `&guarantee=continuous&sessionTimeoutMs=${sessionTimeoutMs}&beats=all`;
    await using connections = await ownProxies(kafka);
    await using members = startGroup({
      bootstrap: kafka.bootstrap,
      topic: 'starved',
      query,
      options: { thresholdMs },
    });
    const starved = await members.join('starved', connections.module);
    await members.leader();
    await members.joinAll('other');
    // Some beats are always in flight to the member when it stops.
    for (const proxy of connections.proxies) proxy.delay(thresholdMs / 10);
    await pause(thresholdMs);
    const before = await members.ledBy(starved);
    starved.pause();
    await members.leader(0, before);
    await pause(thresholdMs);
    // From now on it can renew no proof.
    for (const proxy of connections.proxies) proxy.cutOneWay('to-server');
    starved.resume();
    const { atNs, detail } = await starved.until(
      (event) => event.kind === 'fenced' && event.atNs > before.acquired.atNs,
    );
    expect(detail).toBe('expired');
    await pause(thresholdMs);
    expect(
      starved.events.filter((event) => event.kind === 'acquired' && event.atNs > atNs),
    ).toEqual([]);
  });
});

function leads(source: LeadershipSource): boolean {
  return source.role(0).isLeading();
}

/**
 * Samples all members repeatedly. Returns the longest time without a leader, and the total time
 * with several leaders.
 */
function watch(
  sources: readonly LeadershipSource[],
): { readonly longestGapMs: number; readonly overlapMs: number } & Disposable {
  const seen = { longestGapMs: 0, overlapMs: 0 };
  let gapFrom: number | undefined;
  let [before, led] = [performance.now(), 0];
  const timer = setInterval(() => {
    const now = performance.now();
    const leading = sources.filter(leads).length;
    if (leading > 0) gapFrom = undefined;
    else gapFrom ??= now;
    if (gapFrom !== undefined) seen.longestGapMs = Math.max(seen.longestGapMs, now - gapFrom, 1);
    // A suspension of the process between two samples counts as overlap only if both samples have
    // one.
    if (leading > 1 && led > 1) seen.overlapMs += now - before;
    [before, led] = [now, leading];
  }, 1);
  return Object.assign(seen, { [Symbol.dispose]: () => clearInterval(timer) });
}
