import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { LeadershipSource } from '@leadership/core';
import { eventually } from '@leadership/testkit/adapter';
import { expectNoResourcesLeft, resourcesInUse, watchRejections } from '@leadership/testkit/faults';
import { hasKafka, type KafkaCluster, startKafka } from '@leadership/tools/kafka';
import { Kafka, logLevel } from 'kafkajs';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type KafkaOptions, kafkaLeadership } from '../src/index.ts';
import { administered } from './support/topics.ts';

const config = {
  'broker.session.timeout.ms': 2000,
  'broker.heartbeat.interval.ms': 500,
  'group.min.session.timeout.ms': 300,
};
const options = { brokers: 1, faults: true, config } as const;
/**
 * The time that KafkaJS may take after its sockets have closed: its own retries, but not its
 * default time-out of 30 s. Milliseconds.
 */
const withinMs = 25_000;
const common = { group: 'g', partitions: 2, topicCheck: 'safety' } as const;

/** The kinds of members that are closed. */
interface Kind {
  readonly name: string;
  readonly options: (
    kafka: KafkaCluster,
  ) => Pick<KafkaOptions, 'kafka' | 'guarantee' | 'thresholdMs' | 'sessionTimeoutMs'>;
}

const lease: Kind = {
  name: 'a lease',
  options: (kafka) => ({ kafka: kafka.client(), thresholdMs: 500 }),
};
const continuous: Kind = {
  name: 'continuous leadership',
  options: (kafka) => ({
    kafka: kafka.client(),
    guarantee: 'continuous',
    thresholdMs: 1500,
    sessionTimeoutMs: 1000,
  }),
};
const elsewhere: Kind = {
  name: 'a client made elsewhere',
  options: (kafka) => ({
    ...lease.options(kafka),
    kafka: new Kafka({ ...kafka.client(), logLevel: logLevel.NOTHING, requestTimeout: 1000 }),
  }),
};

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

  const open = (kind: Kind, topic: string, member = 'a'): LeadershipSource =>
    kafkaLeadership({ ...common, ...kind.options(kafka), topic, member });
  const leads = (source: LeadershipSource): Promise<true> =>
    eventually('it leads', () => source.held().size === 2);

  describe.each([lease, continuous, elsewhere])('$name', (kind) => {
    const topicOf = (what: string): string => `${kind.name}-${what}`.replaceAll(' ', '-');

    test('leaves nothing, at whatever moment of the start it comes', async () => {
      using rejections = watchRejections();
      const topic = topicOf('starting');
      await open(kind, topic).close();
      const before = resourcesInUse();
      for (const ms of [0, 0, 1, 1, 2, 3, 4, 6, 8, 16, 32, 64, 128, 256, 512]) {
        const source = open(kind, topic);
        source.ready().catch(() => undefined);
        await pause(ms);
        await source.close();
      }
      await expectNoResourcesLeft(before, withinMs);
      if (kind === continuous) await nobodyIsIn(topic);
      expect(rejections.reasons).toEqual([]);
    });

    test('leaves nothing while the group is being rebalanced', async () => {
      using rejections = watchRejections();
      const topic = topicOf('rebalanced');
      await open(kind, topic).close();
      const before = resourcesInUse();
      const first = open(kind, topic);
      await leads(first);
      const others = ['b', 'c', 'd'].map((member) => open(kind, topic, member));
      await pause(200);
      await Promise.all([first, ...others].map((source) => source.close()));
      await expectNoResourcesLeft(before, withinMs);
      if (kind === continuous) await nobodyIsIn(topic);
      expect(rejections.reasons).toEqual([]);
    });
  });

  test.each([
    ['killed', lease],
    ['cut off', lease],
    ['silent', lease],
    ['killed', continuous],
    ['silent', continuous],
  ] as const)('leaves nothing with the broker %s', async (name, kind) => {
    using rejections = watchRejections();
    const topic = `closing-${name}-${kind.name}`.replaceAll(' ', '-');
    await open(kind, topic).close();
    const before = resourcesInUse();
    const source = open(kind, topic);
    await leads(source);
    await happens(name);
    await source.close({ signal: AbortSignal.timeout(200) });
    expect(source.role(0).isLeading()).toBe(false);
    // The proxy keeps the connections that it swallows from, in this process.
    kafka.broker(1).proxy?.mend();
    await expectNoResourcesLeft(before, withinMs);
    expect(rejections.reasons).toEqual([]);
  });

  async function happens(what: 'killed' | 'cut off' | 'silent'): Promise<void> {
    if (what === 'killed') await kafka.broker(1).kill();
    else if (what === 'cut off') kafka.broker(1).proxy?.cut();
    else kafka.broker(1).proxy?.halfOpen();
  }

  /**
   * A member that did not leave the group continues its heartbeats, and is still assigned
   * partitions.
   */
  function nobodyIsIn(topic: string): Promise<unknown> {
    return administered(kafka, (admin) =>
      eventually('the group has no members', async () => {
        const [group] = (await admin.describeGroups([`leadership:${topic}:g`])).groups;
        return group?.members.length === 0;
      }),
    );
  }

  /** Resolves once the broker accepts connections. */
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
