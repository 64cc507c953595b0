import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { command, type Distribution } from './distribution.ts';

/** A new cluster id, as Kafka writes them. */
export function clusterId(): string {
  return randomBytes(16).toString('base64url');
}

/** What the storage of a broker is made for. */
export interface Storage {
  readonly distribution: Distribution;
  /** The broker's server.properties, which name the folders. */
  readonly settings: string;
  readonly cluster: string;
  /** Passed on to Kafka's tool: what is in the cluster's metadata from the first moment. */
  readonly seeds: readonly string[];
}

/** Makes the folders that the settings name, empty and for that cluster. */
export async function formatStorage({ distribution, settings, cluster, seeds }: Storage, signal?: AbortSignal): Promise<void> {
  // With `=`, as an id may begin with a dash.
  const args = ['format', `--cluster-id=${cluster}`, `--config=${settings}`, ...seeds];
  await promisify(execFile)(...command(distribution, 'kafka.tools.StorageTool', ...args), { signal });
}
