// KafkaJS 2.2 looks a thousand times a second, on every connection and for as long as it is open, whether a request waits that it held
// back (its issue 1704): more than half of what an idle member would cost. It need look only while one waits, as it looks anyway
// whenever an answer comes. So the method by which a queue sees to its next look is replaced, on the connections of clusters that are
// ours alone. That is no public part of KafkaJS: where a release is built otherwise, nothing is replaced.
import type { Cluster } from 'kafkajs';

interface Builder {
  build(place?: unknown): Promise<unknown>;
}

interface RequestQueue {
  readonly pending: readonly unknown[];
  scheduleCheckPendingRequests(): void;
}

/** Lets the connections of a cluster rest while nothing waits. To be called before it connects. */
export function calmQueues(cluster: Cluster): void {
  const builder = fieldOf(cluster, 'connectionPoolBuilder');
  if (!isBuilder(builder)) return;
  const build = builder.build.bind(builder);
  builder.build = async (place) => {
    const pool = await build(place);
    for (const queue of queuesIn(pool)) calm(queue);
    return pool;
  };
}

function queuesIn(pool: unknown): readonly RequestQueue[] {
  const connections = fieldOf(pool, 'pool');
  if (!Array.isArray(connections)) return [];
  return connections.map((connection: unknown) => fieldOf(connection, 'requestQueue')).filter(isQueue);
}

function calm(queue: RequestQueue): void {
  const lookAgain = queue.scheduleCheckPendingRequests.bind(queue);
  queue.scheduleCheckPendingRequests = () => {
    if (queue.pending.length > 0) lookAgain();
  };
}

function isBuilder(value: unknown): value is Builder {
  return typeof fieldOf(value, 'build') === 'function';
}

function isQueue(value: unknown): value is RequestQueue {
  return Array.isArray(fieldOf(value, 'pending')) && typeof fieldOf(value, 'scheduleCheckPendingRequests') === 'function';
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
}
