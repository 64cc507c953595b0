// One member's connections to the brokers of a cluster, over KafkaJS or @platformatic/kafka. Reads
// and writes share its connections, and every request has a deadline.
import { setMaxListeners } from 'node:events';
import { LeadershipError } from '@leadership/core';
import type { Clock } from '@leadership/core/adapter';
import { hasErrorType, kafkaError } from '../errors.ts';
import { disconnectWhenIdle } from './disconnect-when-idle.ts';
import type { LogBroker, LogClient, LogClientFactory, LogClientOptions } from './log-client.ts';
import { withResponseTimeout } from './response-timeout.ts';
import { type TopicAdmin, topicAdmin } from './topic-admin.ts';

/** A client with connections to the brokers, until the connection is closed. */
export interface ClusterConnection {
  /** Aborts once the connection is closed. */
  readonly signal: AbortSignal;
  /** The number of partitions of the topic. */
  readonly partitions: number;
  /** The administrative requests about the topic. {@link answer} limits their time. */
  readonly admin: TopicAdmin;
  /**
   * Limits the time of an administrative request to that of connecting. Rejects once the connection
   * is closed.
   */
  answer<T>(asked: Promise<T>): Promise<T>;
  /**
   * Returns the number of the broker that leads the partition; `undefined` if unknown, -1 if no
   * broker leads it.
   */
  leaderOf(partition: number): number | undefined;
  /** Connects to a broker. */
  broker(node: number): Promise<LogBroker>;
  /**
   * Limits the time of a request, in milliseconds. Rejects with `ResponseTimeoutError`, or once the
   * connection is closed.
   */
  withTimeout<T>(asked: Promise<T>, limitMs: number): Promise<T>;
  /**
   * Returns the offset at which each log starts, or of the next append. Sends one request to each
   * broker that leads some of them.
   */
  offsetsOf(
    partitions: readonly number[],
    which: 'start' | 'end',
  ): Promise<ReadonlyMap<number, bigint>>;
  /**
   * Returns whether a broker denies the topic, and no broker that answers within `limitMs`
   * milliseconds knows it.
   */
  isGone(limitMs: number): Promise<boolean>;
  /** Requests the leaders of the partitions. Default: for as long as connecting may take. Milliseconds. */
  refresh(ms?: number): Promise<void>;
  /**
   * Ends the connections that received nothing for that time, or all of them if the client cannot
   * distinguish them. Milliseconds.
   */
  endSilent(ms: number): void;
  /** Ends the connection at once, and rejects the requests in flight. */
  close(): void;
}

/** The topic that a connection connects to, and the limits of its requests. */
export interface ClusterConnectionOptions extends LogClientOptions {
  readonly client: LogClientFactory;
  readonly clock: Clock;
  /** How long connecting, or an answer about the leaders or the topic, may take, in milliseconds. */
  readonly limitMs: number;
}

/**
 * Connects, and requests the leaders. Each attempt begins with another broker: a broker may not
 * know the topic yet.
 */
export async function openClusterConnection(
  options: ClusterConnectionOptions,
  until: AbortSignal,
): Promise<ClusterConnection> {
  for (let tries = 1; ; tries += 1) {
    const client = options.client.openLog(options);
    try {
      return await connectOver(client, options, until);
    } catch (error) {
      if (tries >= client.seeds || !hasErrorType(error, 'UNKNOWN_TOPIC_OR_PARTITION')) throw error;
    }
  }
}

async function connectOver(
  client: LogClient,
  { topic, clock, limitMs, requestTimeoutMs }: ClusterConnectionOptions,
  until: AbortSignal,
): Promise<ClusterConnection> {
  const closed = new AbortController();
  const asking = new Set<Promise<unknown>>();
  // Every request in flight adds a listener.
  setMaxListeners(0, closed.signal);
  const close = (): void => {
    if (closed.signal.aborted) return;
    closed.abort();
    client.close();
    void disconnectWhenIdle(asking, client.disconnect);
  };
  const withTimeout = <T>(asked: Promise<T>, ms: number): Promise<T> => {
    const done = (): boolean => asking.delete(asked);
    asking.add(asked);
    asked.then(done, done);
    return withResponseTimeout(clock, ms, asked, closed.signal);
  };
  const answer = <T>(asked: Promise<T>): Promise<T> => withTimeout(asked, limitMs);
  until.addEventListener('abort', close, { once: true });
  closed.signal.addEventListener('abort', () => until.removeEventListener('abort', close));
  try {
    if (until.aborted) throw new LeadershipError('closed', 'the member is closed');
    await answer(client.connect());
    await answer(client.refresh());
  } catch (error) {
    close();
    throw kafkaError(error, `topic ${topic}`);
  }
  const leaders = leadersIn(client);
  return {
    signal: closed.signal,
    admin: topicAdmin(client, requestTimeoutMs),
    answer,
    get partitions() {
      return closed.signal.aborted ? 0 : leaders().size;
    },
    // The leaders are unknown once the connection is closed.
    leaderOf: (partition) => (closed.signal.aborted ? undefined : leaders().get(partition)),
    withTimeout: withTimeout,
    broker: (node) => answer(client.broker(node)),
    offsetsOf: (partitions, which) =>
      answer(offsetsOf(client, leaders(), topic, partitions, which)),
    isGone: (ms) => isGone(client.nodes().map((node) => withTimeout(isKnownTo(client, node), ms))),
    refresh: (ms = limitMs) => withTimeout(client.refresh(), ms),
    endSilent: (ms) => void (client.endSilent(ms) || close()),
    close: close,
  };
}

/** Returns the leaders by partition. The index is built once per answer about the topic. */
function leadersIn(client: LogClient): () => ReadonlyMap<number, number> {
  let of: readonly unknown[] | undefined;
  let leaders: ReadonlyMap<number, number> = new Map();
  return () => {
    const described = client.partitions();
    if (described !== of)
      leaders = new Map(described.map(({ partition, leader }) => [partition, leader]));
    of = described;
    return leaders;
  };
}

/** Decides by the answers of all brokers; a failed request does not count. */
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
  if (missing !== undefined)
    throw new LeadershipError('unreachable', `topic ${topic}: partition ${missing} has no leader`);
  const nodes = [...new Set(partitions.map((partition) => leaders.get(partition) ?? -1))];
  const asked = nodes.map(async (node) => {
    const led = partitions.filter((partition) => leaders.get(partition) === node);
    return (await client.broker(node)).offsets(led, which);
  });
  const offsets = new Map((await Promise.all(asked)).flatMap((found) => [...found]));
  const unanswered = partitions.find((partition) => !offsets.has(partition));
  if (unanswered === undefined) return offsets;
  throw new LeadershipError(
    'unreachable',
    `topic ${topic}: the answer of a broker leaves out partition ${unanswered}`,
  );
}
