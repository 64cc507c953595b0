// The connection to the cluster that reads and writes share, whichever client it is made of. Reads and writes travel on the same
// connections, and every request has a deadline.
import { setMaxListeners } from 'node:events';
import { LeadershipError } from '@leadership/core';
import type { Clock } from '@leadership/core/backend';
import type { KafkaClient } from './client-port.ts';
import { isSaid, kafkaError } from './errors.ts';
import { letGo } from './let-go.ts';
import type { LogBroker, LogClient } from './log-port.ts';
import { timely } from './timely.ts';
import { type TopicAdmin, topicAdmin } from './topic-admin.ts';

/** A connection, until it is hung up. */
export interface Link {
  /** Aborts once it is hung up. */
  readonly signal: AbortSignal;
  /** How many partitions the topic has. */
  readonly partitions: number;
  /** Requests about the topic beside its records. {@link answer} limits their time. */
  readonly admin: TopicAdmin;
  /** An answer about the topic in the time that connecting may take, until it is hung up. */
  answer<T>(asked: Promise<T>): Promise<T>;
  /** The broker that leads the partition of the topic, as far as is known; -1 where none does. */
  leaderOf(partition: number): number | undefined;
  /** That broker, connected. */
  broker(node: number): Promise<LogBroker>;
  /** Limits the time of a request over this link; rejects with `Unanswered`, or once the link is hung up. Milliseconds. */
  inTime<T>(asked: Promise<T>, limitMs: number): Promise<T>;
  /** Where the logs of these partitions start, or what will be appended next would stand: one request for each broker that leads some. */
  offsetsOf(partitions: readonly number[], which: 'start' | 'end'): Promise<ReadonlyMap<number, bigint>>;
  /** Whether no broker that answers within so long knows the topic, and one says that there is none. Milliseconds. */
  isGone(limitMs: number): Promise<boolean>;
  /** Requests the leaders of the partitions. */
  refresh(): Promise<void>;
  /** Ends the connections that received nothing for that time, or all of them if the client cannot distinguish them. Milliseconds. */
  endSilent(ms: number): void;
  /** Ends the link at once, and rejects the requests in flight. */
  hangUp(): void;
}

/** The topic that a link connects to, and the limits of its requests. */
export interface LinkOptions {
  readonly client: KafkaClient;
  readonly topic: string;
  readonly clock: Clock;
  /** How long a connection, or an answer about who leads what, may take. Milliseconds. */
  readonly limitMs: number;
  /** The time that an answer may take before the client itself rejects the request. Milliseconds. */
  readonly requestTimeoutMs: number;
}

/** Connects, and requests the leaders. Each attempt begins with another broker: a broker may not know the topic yet. */
export async function openLink(options: LinkOptions, until: AbortSignal): Promise<Link> {
  for (let tries = 1; ; tries += 1) {
    const client = options.client.openLog(options);
    try {
      return await linkOver(client, options, until);
    } catch (error) {
      if (tries >= client.seeds || !isSaid(error, 'UNKNOWN_TOPIC_OR_PARTITION')) throw error;
    }
  }
}

async function linkOver(client: LogClient, { topic, clock, limitMs, requestTimeoutMs }: LinkOptions, until: AbortSignal): Promise<Link> {
  const hungUp = new AbortController();
  const asking = new Set<Promise<unknown>>();
  // Every question in flight listens.
  setMaxListeners(0, hungUp.signal);
  const hangUp = (): void => {
    if (hungUp.signal.aborted) return;
    hungUp.abort();
    client.close();
    void letGo(asking, client.disconnect);
  };
  const inTime = <T>(asked: Promise<T>, ms: number): Promise<T> => {
    const done = (): boolean => asking.delete(asked);
    asking.add(asked);
    asked.then(done, done);
    return timely(clock, ms, asked, hungUp.signal);
  };
  const answer = <T>(asked: Promise<T>): Promise<T> => inTime(asked, limitMs);
  until.addEventListener('abort', hangUp, { once: true });
  hungUp.signal.addEventListener('abort', () => until.removeEventListener('abort', hangUp));
  try {
    if (until.aborted) throw new LeadershipError('closed', 'it is closed');
    await answer(client.connect());
    await answer(client.refresh());
  } catch (error) {
    hangUp();
    throw kafkaError(error, `topic ${topic}`);
  }
  const leaders = leadersIn(client);
  return {
    signal: hungUp.signal,
    admin: topicAdmin(client, requestTimeoutMs),
    answer,
    get partitions() {
      return hungUp.signal.aborted ? 0 : leaders().size;
    },
    // The leaders are unknown once the link is hung up.
    leaderOf: (partition) => (hungUp.signal.aborted ? undefined : leaders().get(partition)),
    inTime,
    broker: (node) => answer(client.broker(node)),
    offsetsOf: (partitions, which) => answer(offsetsOf(client, leaders(), topic, partitions, which)),
    isGone: (ms) => isGone(client.nodes().map((node) => inTime(isKnownTo(client, node), ms))),
    refresh: () => answer(client.refresh()),
    endSilent: (ms) => void (client.endSilent(ms) || hangUp()),
    hangUp,
  };
}

/** Partition → leader, indexed once for each answer about the topic. */
function leadersIn(client: LogClient): () => ReadonlyMap<number, number> {
  let of: readonly unknown[] | undefined;
  let leaders: ReadonlyMap<number, number> = new Map();
  return () => {
    const described = client.partitions();
    if (described !== of) leaders = new Map(described.map(({ partition, leader }) => [partition, leader]));
    of = described;
    return leaders;
  };
}

/** By what each of the brokers says, where it says anything. */
async function isGone(asked: readonly Promise<boolean>[]): Promise<boolean> {
  const said = await Promise.all(asked.map((one) => one.catch(() => undefined)));
  return said.includes(false) && !said.includes(true);
}

async function isKnownTo(client: LogClient, node: number): Promise<boolean> {
  return (await client.broker(node)).knowsTopic();
}

async function offsetsOf(
  client: LogClient,
  leaders: ReadonlyMap<number, number>,
  topic: string,
  partitions: readonly number[],
  which: 'start' | 'end',
): Promise<ReadonlyMap<number, bigint>> {
  const missing = partitions.find((partition) => (leaders.get(partition) ?? -1) < 0);
  if (missing !== undefined) throw new LeadershipError('unreachable', `topic ${topic}: partition ${missing} has no leader`);
  const nodes = [...new Set(partitions.map((partition) => leaders.get(partition) ?? -1))];
  const asked = nodes.map(async (node) => {
    const led = partitions.filter((partition) => leaders.get(partition) === node);
    return (await client.broker(node)).offsets(led, which);
  });
  const offsets = new Map((await Promise.all(asked)).flatMap((found) => [...found]));
  const unanswered = partitions.find((partition) => !offsets.has(partition));
  if (unanswered === undefined) return offsets;
  throw new LeadershipError('unreachable', `topic ${topic}: the answer of a broker leaves out partition ${unanswered}`);
}
