// Takes the disks of etcd back to an earlier state, as an operator does who restores them.
import { setTimeout as pause } from 'node:timers/promises';
import type { EtcdProcess } from './local-etcd.ts';

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
  await each((server) => server.stop());
  const copies = await Promise.all(servers.map((server) => server.copyData()));
  await each((server) => server.start());
  await during();
  await each((server) => server.kill());
  await pause(awayMs);
  await Promise.all(copies.map((copy) => copy.putBack()));
  await each((server) => server.start());
}
