import type { LeadershipSource } from '@leadership/core';
import { hasKafka, type KafkaCluster, startKafka } from '@leadership/tools/kafka';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { kafkaLeadership } from '../src/index.ts';
import { eventually, pauseMs } from './support/eventually.ts';
import { memberWays } from './support/member-ways.ts';

const config = { 'group.min.session.timeout.ms': 300 };
/** T covers a session and a rebalance: then nobody who is cut off leaves a gap (I4). Milliseconds. */
const [sessionTimeoutMs, thresholdMs] = [1000, 3000];

describe.runIf(await hasKafka({ brokers: 1, config }))('continuous leadership', () => {
  let kafka: KafkaCluster;
  beforeAll(async () => {
    kafka = await startKafka({ brokers: 1, config, proxied: false });
  });
  afterAll(() => kafka[Symbol.asyncDispose]());

  const ways = memberWays();
  const open = (topic: string, member: string, beats: 'all' | 'owner'): LeadershipSource =>
    ways.track((socketFactory) =>
      kafkaLeadership({
        kafka: { brokers: [...kafka.bootstrap], socketFactory },
        ...{
          group: 'g',
          topic,
          member,
          partitions: 1,
          thresholdMs,
          sessionTimeoutMs,
          beats,
          guarantee: 'continuous',
          topicCheck: 'safety',
        },
      }),
    );

  test.each(['owner', 'all'] as const)('I1: a planned move leaves no gap, with beats of %s', async (beats) => {
    const one = open(`moved-${beats}`, 'one', beats);
    await using other = open(`moved-${beats}`, 'other', beats);
    const leader = await eventually('one of them leads', () => [one, other].find(leads));
    const next = leader === one ? other : one;
    await next.ready();
    using seen = watch([one, other]);
    await leader.close();
    await eventually('the other leads', () => leads(next) || undefined);
    expect(seen.longestGapMs).toBe(0);
    await one.close();
  });

  test('I4: a member that is cut off leaves no gap, and the overlap is no longer than was promised', async () => {
    await using one = open('cut', 'one', 'owner');
    await using other = open('cut', 'other', 'owner');
    const leader = await eventually('one of them leads', () => [one, other].find(leads));
    const next = leader === one ? other : one;
    await next.ready();
    using seen = watch([one, other]);
    const cut = ways.cut(leader);
    await eventually('the other leads', () => leads(next) || undefined);
    await eventually('who was cut off leads no more', () => !leads(leader) || undefined);
    expect(seen.longestGapMs).toBe(0);
    const { overlapMsMax } = leader.guarantees;
    expect(seen.overlapMs).toBeLessThanOrEqual(Number(overlapMsMax));
    cut[Symbol.dispose]();
    await pauseMs(sessionTimeoutMs);
    await eventually(
      'it is in the group again',
      () => leader.health().ok || undefined,
      () => JSON.stringify(leader.health()),
    );
  });
});

function leads(source: LeadershipSource): boolean {
  return source.role(0).isLeading();
}

/** Asks all of them at once, again and again: for how long at a stretch nobody led, and for how long in all more than one did. */
function watch(sources: readonly LeadershipSource[]): { readonly longestGapMs: number; readonly overlapMs: number } & Disposable {
  const seen = { longestGapMs: 0, overlapMs: 0 };
  let gapFrom: number | undefined;
  let before = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    const leading = sources.filter(leads).length;
    if (leading > 0) gapFrom = undefined;
    else gapFrom ??= now;
    if (gapFrom !== undefined) seen.longestGapMs = Math.max(seen.longestGapMs, now - gapFrom, 1);
    if (leading > 1) seen.overlapMs += now - before;
    before = now;
  }, 1);
  return Object.assign(seen, { [Symbol.dispose]: () => clearInterval(timer) });
}
