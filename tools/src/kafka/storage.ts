import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { javaProgram } from '../backends/java.ts';

/** A new cluster id, as Kafka writes them. */
export function clusterId(): string {
  return randomBytes(16).toString('base64url');
}

/** What the storage of a broker is made for. */
export interface Storage {
  readonly libraries: string;
  /** The broker's server.properties, which name the folders. */
  readonly settings: string;
  readonly cluster: string;
  /** Passed on to Kafka's tool: what is in the cluster's metadata from the first moment. */
  readonly seeds: readonly string[];
}

/** Makes the folders that the settings name, empty and for that cluster. */
export async function formatStorage({ libraries, settings, cluster, seeds }: Storage, signal?: AbortSignal): Promise<void> {
  const machine = ['-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn'];
  // With `=`, as an id may begin with a dash.
  const command = ['kafka.tools.StorageTool', 'format', `--cluster-id=${cluster}`, `--config=${settings}`, ...seeds];
  await promisify(execFile)(javaProgram('java'), [...machine, '-cp', `${libraries}/*`, ...command], { signal });
}
