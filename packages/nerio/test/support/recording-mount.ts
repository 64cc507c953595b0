import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { DoneCall } from '@leadership/testkit/faults';

/** A change of the file system, and when it happened on the host's monotonic clock. */
export interface RecordedCall extends DoneCall {
  readonly atNs: bigint;
}

/** A mounted file system that records all changes. */
export interface RecordingMount extends AsyncDisposable {
  /** Unmounts it, and returns all changes in their order. */
  unmount(): Promise<readonly RecordedCall[]>;
}

const server = fileURLToPath(new URL('recording-mount.mjs', import.meta.url));

/**
 * Mounts a recording file system at `path`, until disposed; `undefined` if this machine does not
 * permit that.
 */
export async function recordingMount(path: string): Promise<RecordingMount | undefined> {
  mkdirSync(path);
  const child = spawn(process.execPath, [server, path], { stdio: ['pipe', 'pipe', 'ignore'] });
  const ended = once(child, 'exit');
  const calls: RecordedCall[] = [];
  const lines = createInterface({ input: child.stdout });
  const drained = once(lines, 'close');
  const isMounted = await Promise.race([
    once(lines, 'line').then(() => true),
    ended.then(() => false),
  ]);
  if (!isMounted) return undefined;
  lines.on('line', (line) => {
    const { atNs, name, args } = JSON.parse(line) as {
      readonly atNs: string;
      readonly name: string;
      readonly args: readonly unknown[];
    };
    calls.push({ atNs: BigInt(atNs), name, args });
  });
  let isOver = false;
  const unmount = async (): Promise<readonly RecordedCall[]> => {
    if (isOver) return calls;
    isOver = true;
    execFileSync('umount', ['-l', path], { stdio: 'ignore' });
    child.stdin.end();
    await Promise.all([ended, drained]);
    return calls;
  };
  return { unmount, [Symbol.asyncDispose]: async () => void (await unmount()) };
}
