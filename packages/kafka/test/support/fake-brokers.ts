import { monotonicClock } from '@leadership/core/adapter';
import { eventually } from '@leadership/testkit/adapter';
import type { Broker } from 'kafkajs';
import { type AdaptiveTimeout, adaptiveTimeout } from '../../src/connection/adaptive-timeout.ts';
import type { ClusterConnection } from '../../src/connection/cluster-connection.ts';
import { kafkajsBroker } from '../../src/kafkajs/log.ts';
import { type Cursor, newCursor } from '../../src/topic/cursor.ts';
import { type RecordReceiver, read } from '../../src/topic/reader.ts';

/** A broker's answer about one partition: `count` records from `from` on, up to the end. */
interface Answer {
  readonly partition: number;
  readonly from: number;
  readonly count: number;
  /** Default 1. */
  readonly epoch?: number;
  /** Whether the partition has more records than these. Default: no. */
  readonly isMore?: boolean;
}

/** A fetch that waits for the test's answer. */
export interface Fetching {
  readonly node: number;
  /** The requested offsets by partition. */
  readonly from: ReadonlyMap<number, number>;
  /** How long the broker may wait for new records. Milliseconds. */
  readonly waitMs: number;
  answer(...answers: readonly Answer[]): void;
  fail(type: string): void;
  /** Fails with another error than an answer. Default: the connection ends. */
  cut(error?: Error): void;
}

type Request = Parameters<Broker['fetch']>[0];

/** Brokers that the test scripts, and two partitions that they lead. */
export class FakeBrokers {
  readonly fetches: Fetching[] = [];
  /** partition → node. */
  readonly leaders = new Map([
    [0, 1],
    [1, 2],
  ]);
  /** The leaders after the next refresh. */
  next: readonly (readonly [number, number])[] = [];
  isGone = false;
  /** The partitions of each request for offsets. */
  readonly offsetRequests: (readonly ('start' | 'end' | number)[])[] = [];
  readonly #hungUp = new AbortController();

  readonly connection: ClusterConnection = {
    signal: this.#hungUp.signal,
    partitions: 2,
    leaderOf: (partition) => this.leaders.get(partition),
    broker: (node) =>
      Promise.resolve(
        kafkajsBroker(
          { fetch: (request: Request) => this.#fetch(node, request) } as unknown as Broker,
          't',
        ),
      ),
    withTimeout: (asked) => asked,
    offsetsOf: (partitions, which) => {
      this.offsetRequests.push([which, ...partitions]);
      return Promise.resolve(new Map(partitions.map((partition) => [partition, 0n])));
    },
    admin: undefined as never,
    answer: (asked) => asked,
    isGone: () => Promise.resolve(this.isGone),
    refresh: () =>
      Promise.resolve(this.next.forEach(([partition, node]) => this.leaders.set(partition, node))),
    endSilent: () => undefined,
    close: () => this.#hungUp.abort(),
  };

  /** Returns the next unanswered fetch from that broker. */
  async fetchAt(node: number): Promise<Fetching> {
    return eventually(`broker ${node} is asked`, () => {
      const index = this.fetches.findIndex((fetching) => fetching.node === node);
      return index >= 0 && this.fetches.splice(index, 1)[0];
    });
  }

  #fetch(node: number, { topics, maxWaitTime }: Request): ReturnType<Broker['fetch']> {
    const asked = topics.flatMap(({ partitions }) => partitions);
    const from = new Map(
      asked.map(({ partition, fetchOffset }) => [partition, Number(fetchOffset)]),
    );
    return new Promise((resolve, reject) => {
      this.fetches.push({
        node,
        from,
        waitMs: maxWaitTime ?? 0,
        answer: (...answers) =>
          resolve({ responses: [{ topicName: 't', partitions: answers.map(answered) }] } as never),
        fail: (type) =>
          reject(Object.assign(new Error(type), { name: 'KafkaJSProtocolError', type })),
        cut: (
          error = Object.assign(new Error('Closed connection'), { name: 'KafkaJSConnectionError' }),
        ) => reject(error),
      });
    });
  }
}

function answered({ partition, from, count, epoch = 1, isMore = false }: Answer): object {
  const batchContext = {
    firstOffset: String(from),
    lastOffsetDelta: count - 1,
    partitionLeaderEpoch: epoch,
    timestampType: 1,
  };
  const messages = Array.from({ length: count }, (_, index) => ({
    offset: String(from + index),
    timestamp: '0',
    value: Buffer.from(`r${from + index}`),
    batchContext,
  }));
  return {
    partition,
    highWatermark: String(from + count + Number(isMore)),
    lastStartOffset: '0',
    messages,
  };
}

/** Starts reading, and records every call of the reader. */
export function reading(played: FakeBrokers, timeout: AdaptiveTimeout = adaptiveTimeout(10)) {
  const reported: string[] = [];
  const messages: string[] = [];
  const taking: RecordReceiver = {
    cursors: new Map<number, Cursor>([0, 1].map((partition) => [partition, newCursor(partition)])),
    taken: ({ records }, { partition }) =>
      records.forEach(({ offset }) => reported.push(`${partition}: ${offset}`)),
    lost: (partition) => reported.push(`${partition}: lost`),
    failed: (partition, { code, message }) => {
      reported.push(`${partition}: ${code}`);
      messages.push(message);
    },
  };
  const ended = read({
    connection: played.connection,
    topic: 't',
    clock: monotonicClock,
    waitMs: 10,
    timeout,
    limitMs: 10,
    receiver: taking,
    answered: () => undefined,
  });
  const end = ended.then(
    () => undefined,
    (error: unknown) => error,
  );
  return { received: reported, messages, end, cursors: taking.cursors };
}

/**
 * Reads these numbers of records of partition 0 at broker 1 and partition 1 at broker 2, up to the
 * next fetches.
 */
export async function bothRead(
  played: FakeBrokers,
): Promise<{ readonly one: Fetching; readonly two: Fetching }> {
  (await played.fetchAt(1)).answer({ partition: 0, from: 0, count: 2 });
  (await played.fetchAt(2)).answer({ partition: 1, from: 0, count: 1 });
  return { one: await played.fetchAt(1), two: await played.fetchAt(2) };
}
