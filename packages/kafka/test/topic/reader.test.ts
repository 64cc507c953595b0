import { monotonicClock } from '@leadership/core/adapter';
import { eventually } from '@leadership/testkit/adapter';
import type { Broker } from 'kafkajs';
import { describe, expect, it } from 'vitest';
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
}

/** A fetch that waits for the test's answer. */
interface Fetching {
  readonly node: number;
  /** The requested offsets by partition. */
  readonly from: ReadonlyMap<number, number>;
  answer(...answers: readonly Answer[]): void;
  fail(type: string): void;
}

type Request = Parameters<Broker['fetch']>[0];

/** Brokers that the test scripts, and two partitions that they lead. */
class Played {
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
  readonly offsetRequests: (readonly number[])[] = [];
  readonly #hungUp = new AbortController();

  readonly connection: ClusterConnection = {
    signal: this.#hungUp.signal,
    partitions: 2,
    leaderOf: (partition) => this.leaders.get(partition),
    broker: (node) => Promise.resolve(kafkajsBroker({ fetch: (request: Request) => this.#fetch(node, request) } as unknown as Broker, 't')),
    withTimeout: (asked) => asked,
    offsetsOf: (partitions) => {
      this.offsetRequests.push(partitions);
      return Promise.resolve(new Map(partitions.map((partition) => [partition, 0n])));
    },
    admin: undefined as never,
    answer: (asked) => asked,
    isGone: () => Promise.resolve(this.isGone),
    refresh: () => Promise.resolve(this.next.forEach(([partition, node]) => this.leaders.set(partition, node))),
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

  #fetch(node: number, { topics }: Request): ReturnType<Broker['fetch']> {
    const asked = topics.flatMap(({ partitions }) => partitions);
    const from = new Map(asked.map(({ partition, fetchOffset }) => [partition, Number(fetchOffset)]));
    return new Promise((resolve, reject) => {
      this.fetches.push({
        node,
        from,
        answer: (...answers) => resolve({ responses: [{ topicName: 't', partitions: answers.map(answered) }] } as never),
        fail: (type) => reject(Object.assign(new Error(type), { name: 'KafkaJSProtocolError', type })),
      });
    });
  }
}

function answered({ partition, from, count, epoch = 1 }: Answer): object {
  const batchContext = { firstOffset: String(from), lastOffsetDelta: count - 1, partitionLeaderEpoch: epoch, timestampType: 1 };
  const messages = Array.from({ length: count }, (_, index) => ({
    offset: String(from + index),
    timestamp: '0',
    value: Buffer.from(`r${from + index}`),
    batchContext,
  }));
  return { partition, highWatermark: String(from + count), lastStartOffset: '0', messages };
}

/** Starts reading, and records every call of the reader. */
function reading(played: Played, neededFrom: (partition: number) => bigint | undefined = () => undefined) {
  const told: string[] = [];
  const messages: string[] = [];
  const taking: RecordReceiver = {
    cursors: new Map<number, Cursor>([0, 1].map((partition) => [partition, newCursor(partition)])),
    origin: 'start',
    neededFrom,
    taken: ({ records }, { partition }) => records.forEach(({ offset }) => told.push(`${partition}: ${offset}`)),
    lost: (partition) => told.push(`${partition}: lost`),
    failed: (partition, { code, message }) => {
      told.push(`${partition}: ${code}`);
      messages.push(message);
    },
  };
  const ended = read({
    connection: played.connection,
    topic: 't',
    clock: monotonicClock,
    waitMs: 10,
    limitMs: 10,
    receiver: taking,
    answered: () => undefined,
  });
  const end = ended.then(
    () => undefined,
    (error: unknown) => error,
  );
  return { told, messages, end };
}

/**
 * Reads these numbers of records of partition 0 at broker 1 and partition 1 at broker 2, up to the
 * next fetches.
 */
async function bothRead(played: Played): Promise<{ readonly one: Fetching; readonly two: Fetching }> {
  (await played.fetchAt(1)).answer({ partition: 0, from: 0, count: 2 });
  (await played.fetchAt(2)).answer({ partition: 1, from: 0, count: 1 });
  return { one: await played.fetchAt(1), two: await played.fetchAt(2) };
}

describe('reading a topic from the brokers that lead it', () => {
  it('ignores a late answer after another broker has answered', async () => {
    const played = new Played();
    const { told } = reading(played);
    const { one, two } = await bothRead(played);
    // Partition 0 moves to broker 2 while broker 1 still waits for new records in it.
    played.next = [[0, 2]];
    two.fail('NOT_LEADER_FOR_PARTITION');
    (await played.fetchAt(2)).answer({ partition: 0, from: 2, count: 3 }, { partition: 1, from: 0, count: 1 });
    const then = await played.fetchAt(2);
    expect([...then.from]).toEqual([
      [0, 5],
      [1, 1],
    ]);
    one.answer({ partition: 0, from: 2, count: 1 });
    then.answer({ partition: 0, from: 5, count: 1 }, { partition: 1, from: 1, count: 0 });
    await eventually('it is read on', () => told.includes('0: 5'));
    expect(told.filter((item) => item.startsWith('0'))).toEqual(['0: 0', '0: 1', '0: 2', '0: 3', '0: 4', '0: 5']);
    played.connection.close();
  });

  it('a broker that does not know the topic yet affects only its own partitions, if another broker knows it', async () => {
    const played = new Played();
    const { told } = reading(played);
    const { one, two } = await bothRead(played);
    one.fail('UNKNOWN_TOPIC_OR_PARTITION');
    (await played.fetchAt(1)).answer({ partition: 0, from: 0, count: 3 });
    two.answer({ partition: 1, from: 1, count: 1 });
    await eventually('both are read on', () => told.includes('0: 2') && told.includes('1: 1'));
    expect(told).toEqual(['0: 0', '0: 1', '1: 0', '0: unreachable', '0: 0', '0: 1', '0: 2', '1: 1']);
    played.connection.close();
  });

  it('requests the start of all partitions of a broker at once', async () => {
    const played = new Played();
    played.leaders.set(1, 1);
    reading(played);
    expect([...(await played.fetchAt(1)).from]).toEqual([
      [0, 0],
      [1, 0],
    ]);
    expect(played.offsetRequests).toEqual([[0, 1]]);
    played.connection.close();
  });

  it('a partition without a leader is reported once, and read once it has a leader; the others are read meanwhile', async () => {
    const played = new Played();
    played.leaders.set(1, -1);
    const { told } = reading(played);
    (await played.fetchAt(1)).answer({ partition: 0, from: 0, count: 1 });
    (await played.fetchAt(1)).answer({ partition: 0, from: 1, count: 1 });
    await eventually('it is reported, and the other one is read', () => told.includes('1: unreachable') && told.includes('0: 1'));
    played.next = [[1, 2]];
    (await played.fetchAt(2)).answer({ partition: 1, from: 0, count: 1 });
    await eventually('it is read', () => told.includes('1: 0'));
    expect(told.filter((item) => item === '1: unreachable')).toHaveLength(1);
    played.connection.close();
  });

  it('reports an error of several partitions as one error, and an error of one with its number', async () => {
    const played = new Played();
    played.leaders.set(1, 1);
    const { messages } = reading(played);
    // KafkaJS does not say which partition failed, so each is then fetched by itself.
    for (let fetches = 0; fetches < 3; fetches += 1) (await played.fetchAt(1)).fail('NOT_LEADER_FOR_PARTITION');
    await eventually('both have failed', () => messages.length === 2);
    expect(new Set(messages)).toEqual(new Set(['topic t, 2 partitions: a partition is moving to another broker']));
    played.next = [[1, 2]];
    (await played.fetchAt(2)).fail('NOT_LEADER_FOR_PARTITION');
    await eventually('one has failed', () => messages.length === 3);
    expect(messages[2]).toBe('topic t, partition 1: a partition is moving to another broker');
    played.connection.close();
  });

  it('resumes at the lowest needed offset, and starts over if the last record has changed (L11)', async () => {
    const played = new Played();
    const { told } = reading(played, (partition) => (partition === 0 ? 2n : undefined));
    (await played.fetchAt(1)).answer({ partition: 0, from: 0, count: 4 });
    const one = await played.fetchAt(1);
    one.fail('NOT_LEADER_FOR_PARTITION');
    const again = await played.fetchAt(1);
    expect([...again.from]).toEqual([[0, 2]]);
    again.answer({ partition: 0, from: 2, count: 3 });
    (await played.fetchAt(1)).fail('NOT_LEADER_FOR_PARTITION');
    (await played.fetchAt(1)).answer({ partition: 0, from: 2, count: 4, epoch: 2 });
    const over = await played.fetchAt(1);
    expect([...over.from]).toEqual([[0, 0]]);
    over.answer({ partition: 0, from: 0, count: 2, epoch: 2 });
    (await played.fetchAt(1)).answer({ partition: 0, from: 2, count: 0, epoch: 2 });
    const records = told.filter((item) => /^0: \d/.test(item));
    expect(records).toEqual(['0: 0', '0: 1', '0: 2', '0: 3', '0: 2', '0: 3', '0: 4', '0: 0', '0: 1']);
    played.connection.close();
  });

  it('ends when no broker knows the topic any longer', async () => {
    const played = new Played();
    const { end } = reading(played);
    const { one } = await bothRead(played);
    played.isGone = true;
    one.fail('UNKNOWN_TOPIC_OR_PARTITION');
    expect(await end).toMatchObject({ cause: { type: 'UNKNOWN_TOPIC_OR_PARTITION' } });
    expect(played.connection.signal.aborted).toBe(true);
  });

  it('ends if the right to read is missing: other brokers would refuse too', async () => {
    const played = new Played();
    const { end } = reading(played);
    const { one } = await bothRead(played);
    one.fail('TOPIC_AUTHORIZATION_FAILED');
    expect(await end).toMatchObject({ cause: { type: 'TOPIC_AUTHORIZATION_FAILED' } });
  });
});
