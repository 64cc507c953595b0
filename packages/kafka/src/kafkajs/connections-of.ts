// The connections of a cluster that is ours alone, as KafkaJS makes them: no public part of it. Where a release is built otherwise,
// there are none to be found, and nothing is mended.
import type { Cluster } from 'kafkajs';

interface Builder {
  build(place?: unknown): Promise<unknown>;
}

/**
 * Hands over every connection once it is made, before it is used; `none` is called where they cannot be found. To be called before the
 * cluster connects.
 */
export function connectionsOf(cluster: Cluster, each: (connection: unknown) => void, none: () => void): void {
  const builder = fieldOf(cluster, 'connectionPoolBuilder');
  if (!isBuilder(builder)) return none();
  const build = builder.build.bind(builder);
  builder.build = async (place) => {
    const made = await build(place);
    const pool = fieldOf(made, 'pool');
    if (!Array.isArray(pool)) none();
    else for (const connection of pool as readonly unknown[]) each(connection);
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
