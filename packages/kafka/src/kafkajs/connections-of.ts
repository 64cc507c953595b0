// The connections of a cluster that is ours alone, as KafkaJS makes them: no public part of it. Where a release is built otherwise,
// there are none to be found, and nothing is mended.
import type { Cluster } from 'kafkajs';

interface Builder {
  build(place?: unknown): Promise<unknown>;
}

/** Callbacks for the connections of a cluster. */
export interface ConnectionVisitor {
  /** The connections to one broker, which KafkaJS makes together. */
  pair(pair: unknown): void;
  connection(connection: unknown): void;
  /** Called if the connections cannot be found. */
  none(): void;
}

/** Hands over every pair of connections, and each of the two, before it is used. Call it before the cluster connects. */
export function connectionsOf(cluster: Cluster, { pair, connection: each, none }: ConnectionVisitor): void {
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

/** A field of something that was made elsewhere. */
export function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
}

function isBuilder(value: unknown): value is Builder {
  return typeof fieldOf(value, 'build') === 'function';
}
