// Gives access to the connections of a cluster that only the adapter uses. They are private members
// of KafkaJS: in a release with another structure they are not found, and the patches do not apply.
import type { Cluster } from 'kafkajs';

interface Builder {
  build(place?: unknown): Promise<unknown>;
}

/** Callbacks for the connections of a cluster. */
export interface ConnectionVisitor {
  /** Called with the pool of connections to one broker. */
  pair(pair: unknown): void;
  connection(connection: unknown): void;
  /** Called if the connections cannot be found. */
  none(): void;
}

/**
 * Visits every pool of connections, and each connection in it, before its first use. Call it before
 * the cluster connects.
 */
export function visitConnections(
  cluster: Cluster,
  { pair, connection: each, none }: ConnectionVisitor,
): void {
  const builder = fieldOf(cluster, 'connectionPoolBuilder');
  if (!isBuilder(builder)) return none();
  const build = builder.build.bind(builder);
  builder.build = async (place) => {
    const made = await build(place);
    const pool = fieldOf(made, 'pool');
    if (!Array.isArray(pool)) none();
    else {
      pair(made);
      for (const connection of pool as readonly unknown[]) each(connection);
    }
    return made;
  };
}

/** Returns a field of a value of unknown type; `undefined` if it has none. */
export function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;
}

function isBuilder(value: unknown): value is Builder {
  return typeof fieldOf(value, 'build') === 'function';
}
