import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const server = fileURLToPath(new URL('fuse-server.mjs', import.meta.url));

/**
 * Mounts a FUSE file system at `path` until disposed; `undefined` if this machine does not permit
 * that.
 */
export async function fuseMount(path: string): Promise<AsyncDisposable | undefined> {
  mkdirSync(path);
  const child = spawn(process.execPath, [server, path], { stdio: ['pipe', 'pipe', 'ignore'] });
  const ended = once(child, 'exit');
  const isMounted = await Promise.race([
    once(child.stdout, 'data').then(() => true),
    ended.then(() => false),
  ]);
  if (!isMounted) return undefined;
  return {
    async [Symbol.asyncDispose]() {
      execFileSync('umount', ['-l', path], { stdio: 'ignore' });
      child.stdin.end();
      await ended;
    },
  };
}
