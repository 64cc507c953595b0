import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const server = fileURLToPath(new URL('fuse-server.mjs', import.meta.url));

/** A FUSE file system at `path`, gone after the test; `undefined` where this machine does not let us mount one. */
export async function fuseMount(path: string): Promise<AsyncDisposable | undefined> {
  mkdirSync(path);
  const child = spawn(process.execPath, [server, path], { stdio: ['pipe', 'pipe', 'ignore'] });
  const ended = once(child, 'exit');
  const isMounted = await Promise.race([once(child.stdout, 'data').then(() => true), ended.then(() => false)]);
  if (!isMounted) return undefined;
  return {
    async [Symbol.asyncDispose]() {
      execFileSync('umount', ['-l', path], { stdio: 'ignore' });
      child.stdin.end();
      await ended;
    },
  };
}
