// Runs a program on a network of its own, which has this host's loopback addresses or only some of them.
import { spawn, spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { isOffered } from './is-offered.ts';
import { inTemporaryDirectory } from './temporary-directory.ts';

/** Which addresses `localhost` has. With `::1` alone, the host has no IPv4 address at all. */
type Localhost = '::1' | '::1 and 127.0.0.1';

/** As root of a user namespace. */
const unshare = ['unshare', '--map-root-user', '--net', '--mount'] as const;

/** Returns whether this user may create networks. If not, one line on stderr says so. */
export function hasOwnNetworks(): boolean {
  const [program, ...flags] = unshare;
  const { status } = spawnSync(program, [...flags, 'ip', 'link', 'set', 'lo', 'up']);
  const missing = 'this user may not create one, or unshare or ip is not installed';
  return isOffered('a network of its own', status === 0 ? undefined : missing);
}

/** Runs Node with these arguments on such a network, until it prints a line, with which this resolves. */
export function firstLineOn(
  localhost: Localhost,
  directory: string,
  args: readonly string[],
): Promise<string> {
  return inTemporaryDirectory('leadership-network', async (home) => {
    const hosts = join(home.path, 'hosts');
    const lines = localhost.split(' and ').map((address) => `${address} localhost\n`);
    await writeFile(hosts, lines.join(''));
    const steps = [
      'ip link set lo up',
      ...(localhost === '::1' ? ['ip address del 127.0.0.1/8 dev lo'] : []),
      `mount --bind ${hosts} /etc/hosts`,
      'exec "$@"',
    ].join(' && ');
    const [program, ...flags] = unshare;
    const command = [...flags, 'sh', '-c', steps, 'sh', process.execPath, ...args];
    const child = spawn(program, command, {
      cwd: directory,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      for await (const line of createInterface({ input: child.stdout })) return line;
      throw new Error('the program ended without a line');
    } finally {
      child.kill('SIGKILL');
      await home[Symbol.asyncDispose]();
    }
  });
}
