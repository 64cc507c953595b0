import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { javaProgram } from '../backends/java.ts';

/** A new cluster id, as Kafka writes them. */
export function clusterId(): string {
  return randomBytes(16).toString('base64url');
}

/** Makes the folders that the settings name, empty and for that cluster. */
export async function formatStorage(libraries: string, settings: string, cluster: string, signal?: AbortSignal): Promise<void> {
  const machine = ['-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn'];
  // With `=`, as an id may begin with a dash.
  const args = [
    ...machine,
    '-cp',
    `${libraries}/*`,
    'kafka.tools.StorageTool',
    'format',
    `--cluster-id=${cluster}`,
    `--config=${settings}`,
  ];
  await promisify(execFile)(javaProgram('java'), args, { signal });
}
