import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, rmdirSync, truncateSync, writeFileSync } from 'node:fs';
import { eventually } from '@leadership/testkit/adapter';

/** Mounts a new file system until disposed; `undefined` if this machine does not permit that. */
export function mounted(path: string, options: string): Disposable | undefined {
  mkdirSync(path);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', path], { stdio: 'ignore' });
  } catch {
    rmdirSync(path);
    return undefined;
  }
  return { [Symbol.dispose]: () => void execFileSync('umount', ['-l', path], { stdio: 'ignore' }) };
}

/**
 * Remounts `path` with other options. The system refuses that while a file there is open for
 * writing.
 */
export async function remount(path: string, options: string): Promise<void> {
  await eventually('the file system is remounted', () => {
    try {
      execFileSync('mount', ['-o', `remount,${options}`, path], { stdio: 'ignore' });
      return true;
    } catch {
      return false;
    }
  });
}

/**
 * Mounts a small disk that can be frozen, until disposed; `undefined` if this machine does not
 * permit that.
 */
export function freezable(path: string): Disposable | undefined {
  const image = `${path}.image`;
  mkdirSync(path);
  writeFileSync(image, '');
  truncateSync(image, 16 << 20);
  try {
    execFileSync('fsfreeze', ['--version'], { stdio: 'ignore' });
    execFileSync('mkfs.ext4', ['-q', image], { stdio: 'ignore' });
    execFileSync('mount', ['-o', 'loop', image, path], { stdio: 'ignore' });
  } catch {
    return undefined;
  }
  return { [Symbol.dispose]: () => void execFileSync('umount', ['-l', path], { stdio: 'ignore' }) };
}

/** The longest freeze. A process that waits for a frozen disk cannot be killed. Seconds. */
const frozenMax = 30;

/** Blocks all writes to the disk until disposed. */
export function freeze(path: string): Disposable {
  execFileSync('fsfreeze', ['-f', path], { stdio: 'ignore' });
  const dog = spawn('/bin/sh', ['-c', `sleep ${frozenMax}; fsfreeze -u "$0"`, path], {
    detached: true,
    stdio: 'ignore',
  });
  dog.unref();
  return {
    [Symbol.dispose]() {
      execFileSync('fsfreeze', ['-u', path], { stdio: 'ignore' });
      process.kill(-(dog.pid ?? 0));
    },
  };
}
