import type { Socket } from 'node:net';
import { type Cluster, Kafka, type LogEntry, logLevel, PartitionAssigners } from 'kafkajs';
import { expect } from 'vitest';

/** The private members of KafkaJS that the patches use. */
interface KafkaJsInternals {
  readonly connectionPoolBuilder: {
    build(place: { host: string; port: number }): Promise<{ readonly pool: readonly Connection[] }>;
  };
}

/** A connection, as KafkaJS has it. */
export interface Connection {
  readonly socket?: Socket;
  readonly requestQueue: {
    pending: unknown[];
    canSendSocketRequestImmediately: () => boolean;
    checkPendingRequests(): void;
    fulfillRequest(answer: { readonly correlationId: number }): void;
    maybeThrottle(ms: number): void;
    push(request: {
      readonly entry: { readonly correlationId: number };
      readonly expectResponse: boolean;
      sendRequest(): void;
    }): void;
    destroy(): void;
  };
  connect(): Promise<unknown>;
  disconnect(): Promise<unknown>;
  send(asked: { readonly request: object; readonly response: object }): Promise<unknown>;
}

/** A cluster, as assigners receive it. `logged` receives the logged errors. */
export function clusterOf(logged?: (message: string) => void): Cluster {
  const clusters: Cluster[] = [];
  // The process may be suspended for this time while it connects.
  const logging = logged
    ? { logLevel: logLevel.ERROR, logCreator: () => (entry: LogEntry) => logged(entry.log.message) }
    : { logLevel: logLevel.NOTHING };
  new Kafka({ brokers: ['127.0.0.1:1'], ...logging, connectionTimeout: 60_000 }).consumer({
    groupId: 'unused',
    partitionAssigners: [
      (parts) => {
        clusters.push(parts.cluster);
        return PartitionAssigners.roundRobin(parts);
      },
    ],
  });
  const [cluster] = clusters;
  if (cluster === undefined) throw new Error('no cluster was found');
  return cluster;
}

/** Its connections to a broker at that port. */
export async function connectionsIn(cluster: Cluster, port = 1): Promise<readonly Connection[]> {
  const { pool } = await (cluster as unknown as KafkaJsInternals).connectionPoolBuilder.build({
    host: '127.0.0.1',
    port,
  });
  expect(pool.length).toBeGreaterThan(0);
  return pool;
}
