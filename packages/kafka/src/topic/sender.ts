// Appends records to the topic. All records of one turn of the event loop share one request per
// broker, because a broker serves the requests of a connection one at a time. After a failed
// request, each of its records may be in the log or not.
import { LeadershipError } from '@leadership/core';
import type { ClusterConnection } from '../connection/cluster-connection.ts';
import type { PartitionRecords } from '../connection/log-client.ts';
import { ResponseTimeoutError } from '../connection/response-timeout.ts';
import { kafkaError } from '../errors.ts';

/** Appends to the topic. */
export interface Sender {
  /**
   * Resolves once every replica in sync has the record. After a rejection it may be in the log or
   * not. An aborted `signal` keeps it from being sent.
   */
  send(partition: number, value: string, signal: AbortSignal): Promise<void>;
}

/** Options of {@link sender}. */
export interface SenderOptions {
  readonly topic: string;
  /** Returns the current connection, if there is one. */
  readonly connection: () => ClusterConnection | undefined;
  /** How long the replicas may take, in milliseconds. */
  readonly ackMs: number;
}

interface Sending {
  readonly partition: number;
  readonly value: string;
  readonly signal: AbortSignal;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

export function sender(options: SenderOptions): Sender {
  let waiting: Sending[] = [];
  const sendAll = (): void => {
    const batch = waiting;
    waiting = [];
    for (const [node, sendings] of byLeader(options.connection(), batch))
      void deliver(options, node, sendings);
  };
  return {
    send: (partition, value, signal) =>
      new Promise((resolve, reject) => {
        if (waiting.length === 0) queueMicrotask(sendAll);
        waiting.push({ partition, value, signal, resolve, reject });
      }),
  };
}

function byLeader(
  connection: ClusterConnection | undefined,
  batch: readonly Sending[],
): ReadonlyMap<number, readonly Sending[]> {
  const groups = new Map<number, Sending[]>();
  for (const sending of batch) {
    const leader = connection?.leaderOf(sending.partition) ?? -1;
    const group = groups.get(leader);
    if (group) group.push(sending);
    else groups.set(leader, [sending]);
  }
  return groups;
}

async function deliver(
  options: SenderOptions,
  node: number,
  sendings: readonly Sending[],
): Promise<void> {
  try {
    await produce(options, node, sendings);
    for (const { resolve } of sendings) resolve();
  } catch (error) {
    const mapped = kafkaError(error, `topic ${options.topic}`, 'Write');
    for (const { reject } of sendings) reject(mapped);
  }
}

async function produce(
  { topic, connection: linkNow, ackMs }: SenderOptions,
  node: number,
  sendings: readonly Sending[],
): Promise<void> {
  const connection = linkNow();
  if (connection === undefined || connection.signal.aborted)
    throw new LeadershipError('unreachable', `topic ${topic}: the client is not connected`);
  if (node < 0)
    throw new LeadershipError('unreachable', `topic ${topic}: a partition has no leader just now`);
  const broker = await connection.broker(node);
  const wanted = sendings.filter(({ signal }) => !signal.aborted);
  if (wanted.length === 0)
    throw new LeadershipError('unreachable', `topic ${topic}: the broker was reached too late`);
  try {
    // Twice the time: once for the replicas, once for earlier requests on this connection.
    await connection.withTimeout(broker.produce(recordsIn(wanted), ackMs), 2 * ackMs);
  } catch (error) {
    if (error instanceof ResponseTimeoutError) connection.endSilent(2 * ackMs);
    else connection.refresh().catch(() => undefined);
    throw error;
  }
}

function recordsIn(sendings: readonly Sending[]): readonly PartitionRecords[] {
  const values = new Map<number, Buffer[]>();
  for (const { partition, value } of sendings)
    values.set(partition, [...(values.get(partition) ?? []), Buffer.from(value)]);
  return [...values].map(([partition, own]) => ({ partition, values: own }));
}
