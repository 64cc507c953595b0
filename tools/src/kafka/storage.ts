// Prepares the data directory of a new broker, as `kafka-storage format` does.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { command, type Distribution } from './distribution.ts';

/** Returns a new cluster id in Kafka's format. */
export function clusterId(): string {
  return randomBytes(16).toString('base64url');
}

/** Parameters of a broker's storage. */
export interface Storage {
  readonly distribution: Distribution;
  /** The path of the broker's server.properties, which name the directories. */
  readonly settings: string;
  readonly cluster: string;
  /** Additional arguments of Kafka's tool, which add initial records to the cluster's metadata. */
  readonly seeds: readonly string[];
}

/** Creates the directories that the settings name, empty and for this cluster. */
export async function formatStorage(
  { distribution, settings, cluster, seeds }: Storage,
  signal?: AbortSignal,
): Promise<void> {
  // The arguments use `=`, because an id may begin with a dash.
  const args = ['format', `--cluster-id=${cluster}`, `--config=${settings}`, ...seeds];
  await promisify(execFile)(...command(distribution, 'kafka.tools.StorageTool', ...args), {
    signal,
  });
}
