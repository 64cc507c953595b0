import { hasDynamoDb } from '@leadership/tools/aws';
import { hasKafka } from '@leadership/tools/kafka';
import { fileFailover } from './file/file-failover.ts';
import { fileHandover } from './file/file-handover.ts';
import { fileRenewal } from './file/file-renewal.ts';
import { idleCost } from './file/idle-cost.ts';
import { kafkaFailover } from './kafka/kafka-failover.ts';
import { kafkaHandover } from './kafka/kafka-handover.ts';
import { kafkaJoinDisturbance } from './kafka/kafka-join-disturbance.ts';
import { kafkaMessageCost } from './kafka/kafka-message-cost.ts';
import { kinesisFailover } from './kinesis/kinesis-failover.ts';
import { kinesisHandover } from './kinesis/kinesis-handover.ts';
import { kinesisRequests } from './kinesis/kinesis-requests.ts';
import { emission } from './micro/emission.ts';
import { isLeading } from './micro/is-leading.ts';
import { codec } from './nerio/codec.ts';
import { nerioFailover } from './nerio/nerio-failover.ts';
import { nerioHandover } from './nerio/nerio-handover.ts';
import { nerioMessages } from './nerio/nerio-messages.ts';
import type { Report } from './report/figures.ts';
import { importCost } from './whole/import-cost.ts';
import { openCloseMemory } from './whole/open-close-memory.ts';
import { simulationSpeed } from './whole/simulation-speed.ts';

/** One thing that is measured. */
export interface Benchmark {
  readonly name: string;
  /** What is to be reached, in a line. */
  readonly promise: string;
  /** Whether what it measures can be had here; where it cannot, one line on stderr says why. Without it: always. */
  isOffered?(): Promise<boolean>;
  run(): Promise<Report>;
}

const onKafka = { isOffered: () => hasKafka({ brokers: 1 }) } as const;
const onAws = { isOffered: () => hasDynamoDb() } as const;

/** All there are, the quick ones first. */
export const benchmarks: readonly Benchmark[] = [
  {
    name: 'is-leading',
    promise: 'isLeading() costs at most 1.05 × performance.now()',
    run: () => isLeading({ rounds: 10_000, warmUps: 1000 }),
  },
  {
    name: 'emission',
    promise: 'from a grant to the subscriber costs at most 2 × BehaviorSubject.next',
    run: () => emission({ processes: 9, rounds: 4000, warmUps: 1000 }),
  },
  {
    name: 'codec',
    promise: 'writing and reading a round of messages costs no more than JSON does, which checks nothing',
    run: () => codec({ rounds: 8000, warmUps: 1000 }),
  },
  {
    name: 'import-cost',
    promise: 'importing core takes at most 30 ms beyond the rxjs peer',
    run: () => importCost({ runs: 25 }),
  },
  {
    name: 'simulation-speed',
    promise: 'at least 20,000 simulated seconds per CPU second',
    run: () => simulationSpeed({ runs: 20, simulatedMs: 1_200_000 }),
  },
  {
    name: 'open-close-memory',
    promise: 'an opened and closed source leaves at most 1 KB, and no handle or timer',
    run: () => openCloseMemory({ runs: 5, opens: 3000 }),
  },
  {
    name: 'file-handover',
    promise: 'an orderly hand-over on one host takes milliseconds',
    run: () => fileHandover({ runs: 100, thresholdMs: 500 }),
  },
  {
    name: 'file-failover',
    promise: 'after a crash the next leads within 1.05 T and a watch latency, in half the cases within T',
    run: () => fileFailover({ runs: 30, thresholdMs: 1000 }),
  },
  {
    name: 'file-renewal',
    promise: 'a renewal on files takes no longer while all threads of the pool are blocked',
    run: () => fileRenewal({ runs: 6, thresholdMs: 1000, windowMs: 5000 }),
  },
  {
    name: 'idle-cost',
    promise: 'an idle file member costs at most 1.2 × a bare loop of the same file operations',
    run: () => idleCost({ runs: 6, warmMs: 4000, windowMs: 10_000, thresholdMs: 1000 }),
  },
  {
    name: 'nerio-handover',
    promise: 'among members, an orderly hand-over takes a round trip, and what it takes to be scheduled',
    run: () => nerioHandover({ runs: 60, thresholdMs: 500 }),
  },
  {
    name: 'nerio-failover',
    promise: 'among members, the next leads within 1.05 δ after a crash, in half the cases within 0.8 δ',
    run: () => nerioFailover({ runs: 30, thresholdMs: 1000 }),
  },
  {
    name: 'nerio-messages',
    promise: 'frames per second grow with members, not with partitions',
    run: () => nerioMessages({ members: [3, 5, 7], partitions: [14, 70], thresholdMs: 1000, windowMs: 10_000 }),
  },
  {
    ...onKafka,
    name: 'kafka-handover',
    promise: 'on a broker, half of the orderly hand-overs take at most 3 round trips',
    run: () => kafkaHandover({ runs: 60, thresholdMs: 500 }),
  },
  {
    ...onKafka,
    name: 'kafka-failover',
    promise: 'after a crash the next leads within 1.05 T, a round trip and 50 ms, in half the cases within T',
    run: () => kafkaFailover({ runs: 30, thresholdMs: 1000 }),
  },
  {
    ...onKafka,
    name: 'kafka-join-disturbance',
    promise: 'a member that joins changes no term but of the partitions it gets',
    // T as it is by default: at a second a machine that is busy with all these processes costs leases, which says nothing of joins.
    run: () => kafkaJoinDisturbance({ runs: 8, thresholdMs: 3000 }),
  },
  {
    ...onKafka,
    name: 'kafka-message-cost',
    promise: 'records per second do not depend on how many members there are',
    run: () => kafkaMessageCost({ members: [2, 4, 8, 12], thresholdMs: 1000, warmMs: 4000, windowMs: 12_000 }),
  },
  {
    ...onAws,
    name: 'kinesis-handover',
    promise: 'on a table, orderly hand-overs take at most a second behind wake-ups',
    run: () => kinesisHandover({ runs: 20, thresholdMs: 3000 }),
  },
  {
    ...onAws,
    name: 'kinesis-failover',
    promise: 'after a crash the next leads within 1.25 T, a request and 50 ms, in half the cases within T',
    run: () => kinesisFailover({ runs: 60, thresholdMs: 1000 }),
  },
  {
    ...onAws,
    name: 'kinesis-requests',
    promise: 'members ask for no more than a quarter above what is said, whatever their number and M',
    run: () =>
      kinesisRequests({
        sizes: [1, 8, 32].flatMap((partitions) => [1, 3, 6].map((members) => ({ partitions, members }))),
        thresholdMs: 3000,
        windowMs: 9000,
      }),
  },
];
