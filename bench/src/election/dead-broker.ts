// Measures what a broker costs that is killed. Each of three brokers, with the settings of the
// distribution, leads one of the three partitions of the topic, and so a third of the partitions of a
// group. The benchmark kills one broker after the other, each under a new group, and adds up how long
// each partition had no leader: in the third of that broker, and in the others.
//
// The baseline is the time after which the cluster notices the death, and T, for which a member doubts
// what a new leader of the topic shows.
import { setTimeout as pause } from 'node:timers/promises';
import type { SpawnedMember } from '@leadership/testkit/faults';
import { createTopic, type KafkaCluster, startKafka } from '@leadership/tools/kafka';
import { Kafka, logLevel } from 'kafkajs';
import { type OpenBackend, startMember } from '../backends/backend.ts';
import { figuresOf, type Report } from '../report/figures.ts';
import { isEven, leadersOf, settledLeaders } from './leaders.ts';

/** The values of T to measure. */
export interface DeadBrokerOptions {
  /** Ascending. Milliseconds. */
  readonly thresholdsMs: readonly number[];
}

const members = 3;
const shards = 3;
const partitions = 9;
/** The `broker.session.timeout.ms` of the distribution. */
const sessionMs = 9_000;
/** How long a group may take to settle: at its start, and after the death. In T, and milliseconds. */
const timeout = { thresholds: 12, slackMs: 60_000 };
const quietThresholds = 1;
/** How much longer than the baseline the slowest partition may be without a leader. */
const limit = 1.2;

/** How long each partition had no leader, from the death of a broker on. Milliseconds. */
interface Run {
  readonly thresholdMs: number;
  readonly broker: number;
  /** In the third of the broker, and in the other two. */
  readonly own: readonly number[];
  readonly others: readonly number[];
}

/** Runs the benchmark. */
export async function deadBroker({ thresholdsMs }: DeadBrokerOptions): Promise<Report> {
  await using kafka = await startKafka({ brokers: 3, proxied: false, faults: true });
  const runs: Run[] = [];
  for (const thresholdMs of thresholdsMs)
    for (const { id } of kafka.brokers) runs.push(await kill(kafka, id, thresholdMs));
  const [shortest = 0] = thresholdsMs;
  const longest = runs
    .filter(({ thresholdMs }) => thresholdMs === shortest)
    .map(({ own }) => Math.max(...own));
  return {
    figures: figuresOf(longest, {
      name: 'kafka-dead-broker',
      unit: 'ms',
      baseline: sessionMs + shortest,
      limit,
      by: 'p99',
    }),
    against: `the session of a broker and T; ${kafka.name}; T ${shortest} ms; runs are brokers, values the longest time without a leader in the third of the dead one`,
    notes: runs.map(noteOf),
    rows: runs,
  };
}

/** Kills a broker under a new group, and starts it again afterwards. */
async function kill(kafka: KafkaCluster, broker: number, thresholdMs: number): Promise<Run> {
  const group = `dead-${broker}-${thresholdMs}`;
  await makeTopic(kafka, group);
  const living: SpawnedMember[] = [];
  try {
    await Promise.all(
      Array.from({ length: members }, async (_, index) => {
        const options = { group, member: `m${index + 1}`, thresholdMs, partitions };
        living.push(await startMember(openedOn(kafka), options));
      }),
    );
    await settled(living, thresholdMs);
    const killedNs = process.hrtime.bigint();
    await kafka.broker(broker).kill();
    // By then every term has ended that cannot be renewed.
    await pause(sessionMs + thresholdMs);
    await settled(living, thresholdMs);
    const shard = broker - 1;
    const without = Array.from({ length: partitions }, (_, partition) =>
      withoutLeaderMs(living, partition, killedNs),
    );
    return {
      thresholdMs,
      broker,
      own: without.filter((_, partition) => partition % shards === shard),
      others: without.filter((_, partition) => partition % shards !== shard),
    };
  } finally {
    await Promise.all(living.map((member) => member.kill()));
    if (!kafka.broker(broker).isRunning) await kafka.broker(broker).start();
  }
}

/** Creates a topic whose partitions are led by one broker each, in the order of the brokers. */
async function makeTopic(kafka: KafkaCluster, topic: string): Promise<void> {
  const admin = new Kafka({ brokers: [...kafka.direct], logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  const nodes = kafka.brokers.map(({ id }) => id);
  const replicaAssignment = nodes.map((_, partition) => ({
    partition,
    replicas: [...nodes.slice(partition), ...nodes.slice(0, partition)],
  }));
  const configEntries = [{ name: 'min.insync.replicas', value: '2' }];
  await createTopic(admin, { topic, replicaAssignment, configEntries });
  await admin.disconnect();
}

function openedOn(kafka: KafkaCluster): OpenBackend {
  return {
    place: kafka.name,
    address: (group) => ({ url: `kafka://${kafka.bootstrap.join()}/${group}?topic=${group}` }),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

async function settled(living: readonly SpawnedMember[], thresholdMs: number): Promise<void> {
  const leaders = await settledLeaders(living, {
    isRight: (found) => isEven(found, { partitions, members }),
    quietMs: quietThresholds * thresholdMs,
    timeoutMs: timeout.thresholds * thresholdMs + timeout.slackMs,
  });
  if (leaders !== undefined) return;
  const { led, counts } = leadersOf(living);
  throw new Error(`${led} of ${partitions} partitions are led, by members of ${counts.join(', ')}`);
}

function withoutLeaderMs(
  living: readonly SpawnedMember[],
  partition: number,
  sinceNs: bigint,
): number {
  const own = living.map(({ events }) => ({
    events: events.filter((event) => event.partition === partition),
  }));
  return leadersOf(own, sinceNs).gapsMs.reduce((sum, ms) => sum + ms, 0);
}

function noteOf({ thresholdMs, broker, own, others }: Run): string {
  return `T ${thresholdMs / 1000} s, broker ${broker} killed: in its third ${spanOf(own)}; in the others ${spanOf(others)}`;
}

function spanOf(without: readonly number[]): string {
  const lost = without.filter((ms) => ms > 0).map((ms) => ms / 1000);
  if (lost.length === 0) return `none of ${without.length} partitions lost its leader`;
  const [least, most] = [Math.min(...lost).toFixed(1), Math.max(...lost).toFixed(1)];
  return `${lost.length} of ${without.length} partitions had none for ${least} to ${most} s`;
}
