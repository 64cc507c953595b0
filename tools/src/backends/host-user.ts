// The users of this host that run servers.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { HostUser } from './local-server.ts';

/**
 * Resolves with the user of that name, to run a server that rejects root. `undefined` stands for the
 * user of this process.
 */
export async function hostUser(name: string): Promise<HostUser | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const id = async (flag: string): Promise<number> =>
    Number((await promisify(execFile)('id', [flag, name])).stdout);
  return { uid: await id('-u'), gid: await id('-g') };
}
