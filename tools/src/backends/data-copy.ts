// Copies and restores the data of a server, as an operator restores a backup.
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { LocalServer } from './local-server.ts';

/** A copy of a server's data. It is removed with the server. */
export interface DataCopy {
  /** Replaces the data by the copy, so that newer changes are lost. Rejects if the server is running. */
  putBack(): Promise<void>;
}

/** Copies the data of a server. Pauses a running server meanwhile. */
export async function copyDataOf(
  name: string,
  server: Omit<LocalServer, 'copyData'>,
): Promise<DataCopy> {
  const data = join(server.directory, 'data');
  const copy = `${data}-${randomUUID()}`;
  const pauses = server.isRunning && !server.isPaused;
  if (pauses) server.pause();
  await copyFolder(data, copy).finally(() => pauses && server.resume());
  return {
    async putBack() {
      if (server.isRunning)
        throw new Error(`${name} is running: stop or kill it before its data is restored`);
      await rm(data, { recursive: true });
      await copyFolder(copy, data);
    },
  };
}

/** The user of a server may be another one than that of this process. */
async function copyFolder(from: string, to: string): Promise<void> {
  await promisify(execFile)('cp', ['-a', from, to]);
}
