// The list of all benchmarks, by which `npm run bench -- NAME` finds them.
import { hasKafka } from '@leadership/tools/kafka';
import type { Backend } from './backends/backend.ts';
import { etcd } from './backends/etcd.ts';
import { file } from './backends/file.ts';
import { gossip } from './backends/gossip.ts';
import { documentedRecords, kafka } from './backends/kafka.ts';
import { dynamoDb, kinesis } from './backends/kinesis.ts';
import { kubernetes } from './backends/kubernetes.ts';
import { mysql } from './backends/mysql.ts';
import { nats } from './backends/nats.ts';
import { nerio } from './backends/nerio.ts';
import { postgres } from './backends/postgres.ts';
import { redis } from './backends/redis.ts';
import { codec } from './cost/codec.ts';
import { emission } from './cost/emission.ts';
import { fileRenewal } from './cost/file-renewal.ts';
import { gossipConvergence, gossipMessages } from './cost/gossip-fleet.ts';
import { idleCost } from './cost/idle-cost.ts';
import { importCost } from './cost/import-cost.ts';
import { isLeading } from './cost/is-leading.ts';
import { kafkaRecords } from './cost/kafka-records.ts';
import { nerioFrames } from './cost/nerio-frames.ts';
import { openCloseMemory } from './cost/open-close-memory.ts';
import { simulationSpeed } from './cost/simulation-speed.ts';
import { crashProved, crashProvedOnFiles } from './election/crash-proved.ts';
import { crashProvedBySize } from './election/crash-proved-size.ts';
import { deadBroker } from './election/dead-broker.ts';
import { failover } from './election/fail-over.ts';
import { handover } from './election/hand-over.ts';
import { idleRequests } from './election/idle-requests.ts';
import { joinDisturbance } from './election/join.ts';
import { readiness } from './election/readiness.ts';
import { runSlots } from './election/run-slots.ts';
import { scale, scaleOn, scaleSizes } from './election/scale.ts';
import { kafkaSize, overload, settle, sizes } from './election/settle.ts';
import type { Report } from './report/figures.ts';

/** A benchmark. */
export interface Benchmark {
  readonly name: string;
  /** The target, in one line. */
  readonly promise: string;
  /**
   * Resolves with whether the backend of the benchmark is available on this machine. If it is not,
   * one line on stderr states the reason. Absent if the benchmark needs no backend.
   */
  isOffered?(): Promise<boolean>;
  run(): Promise<Report>;
}

const onKafka = { isOffered: kafka.isOffered } as const;
const onAws = { isOffered: kinesis.isOffered } as const;

/** A guard can tell a death from a full backlog on Linux only. */
const onLinux = { isOffered: () => Promise.resolve(process.platform === 'linux') } as const;
const guarding = {
  thresholdMs: 10_000,
  guarded: { groups: 4, runs: 10 },
  unguarded: { groups: 5, runs: 4 },
} as const;

/** A group on gossip whose members share a few processes. */
const fleet = { members: 100, processes: 4 } as const;

/** The idle groups whose requests are counted at a store of rows. */
const idleGroups = {
  sizes: [1, 8].flatMap((partitions) => [1, 3].map((members) => ({ partitions, members }))),
  thresholdMs: 1500,
  windowMs: 15_000,
} as const;

/** The sizes to measure at a store of rows: the smallest ones, and the largest that all stores have. */
const scaledPartitions = 256;
const storeSizes = [1, 8, scaledPartitions].map((partitions) => ({ members: 3, partitions }));
const largeSizes = [1000, 10_000].map((partitions) => ({ members: 3, partitions }));
const kafkaSizes = [
  { members: 3, partitions: 8 },
  { members: 3, partitions: 1000 },
  { members: 12, partitions: 1000 },
  { members: 3, partitions: 10_000 },
];

/** All benchmarks, the fastest first. */
export const benchmarks: readonly Benchmark[] = [
  {
    name: 'is-leading',
    promise: 'isLeading() costs at most 1.05 × performance.now()',
    run: () => isLeading({ rounds: 10_000, warmUps: 1000 }),
  },
  {
    name: 'emission',
    promise: 'delivering a grant to a subscriber costs at most 2 × BehaviorSubject.next',
    run: () => emission({ processes: 9, rounds: 4000, warmUps: 1000 }),
  },
  {
    name: 'codec',
    promise:
      'encoding, decoding and validating messages costs no more than JSON without validation',
    run: () => codec({ rounds: 8000, warmUps: 1000 }),
  },
  {
    name: 'import-cost',
    promise:
      'importing core and its memory backend takes at most 2 × the processor time of rxjs alone',
    run: () => importCost({ runs: 25 }),
  },
  {
    name: 'simulation-speed',
    promise: 'the simulation runs at least 1,500 simulated seconds per CPU second',
    run: () => simulationSpeed({ runs: 20, simulatedMs: 1_200_000 }),
  },
  {
    name: 'open-close-memory',
    promise: 'opening and closing a source leaves at most 1 KB, and no handle or timer',
    run: () => openCloseMemory({ runs: 5, opens: 3000 }),
  },
  {
    name: 'file-handover',
    promise: 'an orderly hand-over on one host takes less than 20 ms',
    run: () => handover(file, { runs: 100, thresholdMs: 500 }),
  },
  {
    name: 'file-failover',
    promise:
      'after a crash another member leads within 1.05 T plus the watch latency, in half of the runs within T',
    run: () => failover(file, { runs: 30, thresholdMs: 1000 }),
  },
  {
    ...onLinux,
    name: 'crash-proved',
    promise: 'under a guard, another member leads 60 ms after a crash, in 99 of 100 runs 150 ms',
    run: () => crashProvedOnFiles(guarding),
  },
  {
    ...onLinux,
    name: 'crash-proved-by-size',
    promise:
      'under a guard, the last of the partitions of a dead member is led 250 ms after the first, with 1,000 partitions as with one',
    run: () =>
      crashProvedBySize('crash-proved-by-size', file, {
        partitions: [1, 1000],
        runs: 10,
        thresholdMs: 3000,
      }),
  },
  {
    isOffered: () => Promise.resolve(process.platform !== 'win32'),
    name: 'run-slots',
    promise:
      'after a kill of run --slots, another command acts within T, whenever the process was killed',
    run: () => runSlots({ runs: 24, thresholdMs: 4000 }),
  },
  {
    name: 'file-renewal',
    promise: 'a renewal on files takes no longer while all threads of the libuv pool are blocked',
    run: () => fileRenewal({ runs: 6, thresholdMs: 1000, windowMs: 5000 }),
  },
  {
    name: 'idle-cost',
    promise: 'an idle file member costs at most 1.2 × a bare loop of the same file operations',
    run: () => idleCost({ runs: 6, warmMs: 4000, windowMs: 10_000, thresholdMs: 1000 }),
  },
  {
    name: 'nerio-handover',
    promise: 'with Nerio, an orderly hand-over takes one round trip plus scheduling delays',
    run: () => handover(nerio, { runs: 60, thresholdMs: 500 }),
  },
  {
    name: 'nerio-failover',
    promise:
      'with Nerio, another member leads within 1.05 δ after a crash, in half of the runs within 0.8 δ',
    run: () => failover(nerio, { runs: 30, thresholdMs: 1000 }),
  },
  {
    name: 'nerio-messages',
    promise: 'with Nerio, frames per second grow with the number of members, not of partitions',
    run: () =>
      nerioFrames({
        members: [3, 5, 7],
        partitions: [14, 70],
        thresholdMs: 1000,
        windowMs: 10_000,
      }),
  },
  {
    name: 'gossip-failover',
    promise:
      'on gossip, half of the fail-overs after a crash take at most P, the detection and three intervals',
    run: () =>
      failover(gossip({ voters: 3, thresholdMs: 1000, intervalMs: 50 }), {
        runs: 20,
        thresholdMs: 1000,
      }),
  },
  {
    name: 'gossip-failover-of-20',
    promise: 'the same in a group of 20 members, of which five vote',
    run: () =>
      // The longest interval that 20 members permit (S6).
      failover(gossip({ voters: 5, thresholdMs: 3000, intervalMs: 250 }), {
        name: 'gossip-failover-of-20',
        runs: 12,
        members: 20,
        thresholdMs: 3000,
      }),
  },
  {
    name: 'gossip-convergence',
    promise: 'on gossip, a change reaches 100 members within 2 log2 n + 3 rounds',
    run: () => gossipConvergence({ runs: 60, thresholdMs: 40_000, intervalMs: 2000, ...fleet }),
  },
  {
    name: 'gossip-messages',
    promise: 'on gossip, the bytes of a member grow no faster than the number of members',
    run: () =>
      gossipMessages({
        ...fleet,
        members: [10, 100, 300],
        // Two cores are enough for 300 members at this interval.
        thresholdMs: 80_000,
        intervalMs: 4000,
        windowMs: 20_000,
      }),
  },
  {
    name: 'scale',
    promise: 'an idle group of 1,000 partitions writes at most 1.1 × as often as one of 8',
    run: () => scale({ sizes: scaleSizes, thresholdMs: 3000 }),
  },
  {
    name: 'settle',
    promise: 'three members that start at once share 256 partitions, on files 128, within 10 T',
    run: () => settle({ sizes, members: 3, thresholdMs: 3000 }),
  },
  {
    ...onKafka,
    name: 'settle-after-overload',
    promise: 'with Kafka, 256 partitions settle within 10 T after a minute beside 1,024 more',
    run: () =>
      overload({ size: kafkaSize, members: 3, groups: 4, overloadMs: 60_000, thresholdMs: 3000 }),
  },
  {
    ...onKafka,
    name: 'kafka-handover',
    promise: 'with Kafka, half of the orderly hand-overs take at most 3 round trips',
    run: () => handover(kafka, { runs: 60, thresholdMs: 500 }),
  },
  {
    ...onKafka,
    name: 'kafka-failover',
    promise:
      'with Kafka, another member leads within 1.05 T + a round trip + 50 ms after a crash, in half of the runs within T',
    run: () => failover(kafka, { runs: 30, thresholdMs: 1000 }),
  },
  {
    isOffered: async () => (await onLinux.isOffered()) && kafka.isOffered(),
    name: 'kafka-crash-proved',
    promise:
      'with Kafka, under a guard, another member leads 60 ms after a crash, in 99 of 100 runs 150 ms',
    run: () => crashProved('kafka-crash-proved', kafka, guarding),
  },
  {
    ...onKafka,
    name: 'kafka-join-disturbance',
    promise: 'a joining member ends only the terms of the partitions that it receives',
    // The default T. With a T of one second, a machine that is busy with all these processes loses
    // leases for reasons other than joins.
    run: () => joinDisturbance({ runs: 8, thresholdMs: 3000 }),
  },
  {
    ...onKafka,
    name: 'kafka-message-cost',
    promise: 'with Kafka, a further member costs at most three records every T/3',
    run: () =>
      kafkaRecords({
        members: [2, 4, 8, 12],
        thresholdMs: 1000,
        warmMs: 4000,
        windowMs: 12_000,
      }),
  },
  {
    ...onKafka,
    name: 'kafka-scale',
    promise:
      'with Kafka, an idle group of 1,000 partitions writes at most 1.1 × as often as one of 8, and 10,000 settle within 10 T',
    run: () =>
      scaleOn(kafka, {
        sizes: kafkaSizes,
        thresholdMs: 3000,
        limitsOf: ({ partitions, thresholdMs, ...size }) => ({
          settleT: partitions > 1000 ? 10 : 5,
          // A window of 2 T that begins just before a renewal holds one more than its length says.
          writesPerS:
            (7 / 6) * documentedRecords({ partitions, ...size }).writes * (1000 / thresholdMs),
        }),
      }),
  },
  {
    isOffered: () => hasKafka({ brokers: 3, faults: true }),
    name: 'kafka-dead-broker',
    promise:
      'with Kafka, a broker that is killed costs its third of the partitions at most 1.2 × (9 s + T) without a leader',
    run: () => deadBroker({ thresholdsMs: [3000, 15_000, 20_000] }),
  },
  {
    ...onAws,
    name: 'kinesis-handover',
    promise: 'on DynamoDB with a stream, orderly hand-overs take at most a second',
    run: () => handover(kinesis, { runs: 20, thresholdMs: 3000 }),
  },
  {
    ...onAws,
    name: 'kinesis-crowd',
    promise:
      'sixty members that start at once on one shard are ready T/4 after those without a stream, at the latest',
    run: () => readiness({ members: 60, runs: 3, thresholdMs: 3000 }),
  },
  {
    ...onAws,
    name: 'kinesis-failover',
    promise:
      'on DynamoDB, another member leads within 4/3 T + a request + 50 ms after a crash, in half of the runs within T',
    run: () => failover(dynamoDb, { runs: 60, thresholdMs: 1000 }),
  },
  {
    ...onAws,
    name: 'kinesis-requests',
    promise:
      'on DynamoDB, members make at most 1.25 × the documented number of requests, for any number of members and partitions',
    run: () =>
      idleRequests(kinesis, {
        sizes: [1, 8, 32].flatMap((partitions) =>
          [1, 3, 6].map((members) => ({ partitions, members })),
        ),
        thresholdMs: 3000,
        windowMs: 9000,
      }),
  },
  {
    ...onAws,
    name: 'kinesis-scale',
    promise:
      'on DynamoDB, an idle group of 1000 partitions writes at most 1.1 × as often as one of 8',
    run: () => scaleOn(dynamoDb, { sizes: [...storeSizes, ...largeSizes], thresholdMs: 3000 }),
  },
  ...[
    { title: 'etcd', store: etcd, requests: 'requests' },
    { title: 'NATS', store: nats, requests: 'messages' },
    { title: 'Postgres', store: postgres, requests: 'statements' },
    { title: 'Redis', store: redis, requests: 'scripts' },
    { title: 'MySQL', store: mysql, requests: 'requests', pollWait: ' and T/8' },
    { title: 'Kubernetes', store: kubernetes, requests: 'requests' },
  ].flatMap(ofStore),
];

/** A store of rows that a server keeps, and the words for its benchmarks. */
interface RowStore {
  readonly title: string;
  readonly store: Backend;
  readonly requests: string;
  /** The time of a hand-over beside its round trips, where members only poll. */
  readonly pollWait?: string;
}

/** Returns the benchmarks of a store. */
function ofStore({ title, store, requests, pollWait = '' }: RowStore): readonly Benchmark[] {
  const { name, isOffered } = store;
  return [
    {
      isOffered,
      name: `${name}-failover`,
      promise: `on ${title}, another member leads within 1.05 T + T/4 after a crash, in half of the runs within T`,
      run: () => failover(store, { runs: 40, thresholdMs: 1000 }),
    },
    {
      isOffered,
      name: `${name}-handover`,
      promise: `on ${title}, half of the orderly hand-overs take at most three round trips${pollWait}`,
      run: () => handover(store, { runs: 20, thresholdMs: 1000 }),
    },
    {
      isOffered,
      name: `${name}-requests`,
      promise: `on ${title}, members send at most the documented number of ${requests}`,
      run: () => idleRequests(store, idleGroups),
    },
    {
      isOffered,
      name: `${name}-scale`,
      promise: `on ${title}, an idle group of ${scaledPartitions} partitions writes at most 1.1 × as often as one of 8`,
      run: () => scaleOn(store, { sizes: storeSizes, thresholdMs: 3000 }),
    },
  ];
}
