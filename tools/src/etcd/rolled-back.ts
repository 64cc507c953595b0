// Takes the disks of etcd back to an earlier state, as an operator does who restores them.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { EtcdProcess } from './local-etcd.ts';

const run = promisify(execFile);

/**
 * Keeps a copy of the disks of all servers, calls the function, and then goes on with the copies after
 * `awayMs`. The servers keep the identity of their cluster.
 */
export async function rolledBack(
  servers: readonly EtcdProcess[],
  during: () => Promise<void>,
  awayMs = 0,
): Promise<void> {
  const each = async (action: (server: EtcdProcess) => Promise<unknown>): Promise<void> => {
    await Promise.all(servers.map(action));
  };
  const data = ({ directory }: EtcdProcess): string => join(directory, 'data');
  await each((server) => server.stop());
  await each((server) => run('cp', ['-a', data(server), `${data(server)}-kept`]));
  await each((server) => server.start());
  await during();
  await each((server) => server.kill());
  await pause(awayMs);
  await each((server) => run('rm', ['-r', data(server)]));
  await each((server) => run('mv', [`${data(server)}-kept`, data(server)]));
  await each((server) => server.start());
}
