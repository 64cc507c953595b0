import { connect } from 'node:net';
import type { LeadershipSource } from '@leadership/core';
import { expectNoResourcesLeft, resourcesInUse, watchRejections } from '@leadership/testkit/faults';
import { hasKafka, type KafkaCluster, startKafka } from '@leadership/tools/kafka';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { kafkaLeadership } from '../src/index.ts';
import { eventually, pauseMs } from './support/eventually.ts';

const options = { brokers: 1, faults: true, config: { 'broker.session.timeout.ms': 2000, 'broker.heartbeat.interval.ms': 500 } } as const;
/** What KafkaJS may still be waiting for when its sockets are gone: its own retries. Milliseconds. */
const withinMs = 10_000;

describe.runIf(await hasKafka(options))('closing', () => {
  let kafka: KafkaCluster;
  beforeAll(async () => {
    kafka = await startKafka(options);
  });
  beforeEach(async () => {
    kafka.broker(1).proxy?.mend();
    if (!kafka.broker(1).isRunning) await kafka.broker(1).start();
    await answers();
  });
  afterAll(() => kafka[Symbol.asyncDispose]());

  const open = (topic: string, member = 'a'): LeadershipSource =>
    kafkaLeadership({ kafka: kafka.client(), group: 'g', topic, member, partitions: 2, thresholdMs: 500, topicCheck: 'safety' });
  const leads = (source: LeadershipSource): Promise<true> => eventually('it leads', () => source.held().size === 2 || undefined);

  test('leaves nothing, at whatever moment of the start it comes', async () => {
    using rejections = watchRejections();
    await open('starting').close();
    const before = resourcesInUse();
    for (const ms of [0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512]) {
      const source = open('starting');
      source.ready().catch(() => undefined);
      await pauseMs(ms);
      await source.close();
    }
    await expectNoResourcesLeft(before, withinMs);
    expect(rejections.reasons).toEqual([]);
  });

  test('leaves nothing while the group is being rebalanced', async () => {
    using rejections = watchRejections();
    await open('rebalanced').close();
    const before = resourcesInUse();
    const first = open('rebalanced');
    await leads(first);
    const others = ['b', 'c', 'd'].map((member) => open('rebalanced', member));
    await pauseMs(200);
    await Promise.all([first, ...others].map((source) => source.close()));
    await expectNoResourcesLeft(before, withinMs);
    expect(rejections.reasons).toEqual([]);
  });

  test.each([
    ['killed', () => kafka.broker(1).kill()],
    ['cut off', () => kafka.broker(1).proxy?.cut()],
    ['silent', () => kafka.broker(1).proxy?.halfOpen()],
  ] as const)('leaves nothing with the broker %s', async (name, happen) => {
    using rejections = watchRejections();
    const topic = `closing-${name.replace(' ', '-')}`;
    await open(topic).close();
    const before = resourcesInUse();
    const source = open(topic);
    await leads(source);
    await happen();
    await source.close({ signal: AbortSignal.timeout(200) });
    expect(source.role(0).isLeading()).toBe(false);
    // The proxy keeps what it swallows from, in this very process.
    kafka.broker(1).proxy?.mend();
    await expectNoResourcesLeft(before, withinMs);
    expect(rejections.reasons).toEqual([]);
  });

  /** Somebody listens there. */
  async function answers(): Promise<void> {
    const [address = ''] = kafka.bootstrap;
    const [host = '', port = ''] = address.split(':');
    await eventually('the broker can be reached', async () => {
      const socket = connect({ host, port: Number(port) });
      return new Promise<boolean>((resolve) => {
        socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
      }).finally(() => socket.destroy());
    });
  }
});
