import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, rmdirSync, truncateSync, writeFileSync } from 'node:fs';
import { eventually } from '@leadership/testkit/adapter';

/** A file system of its own, gone after the test; `undefined` where this machine does not let us mount one. */
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

/** Mounts what is mounted at `path` anew, with other options. Refused as long as a file there is open to be written. */
export async function remount(path: string, options: string): Promise<void> {
  await eventually('it is mounted anew', () => {
    try {
      execFileSync('mount', ['-o', `remount,${options}`, path], { stdio: 'ignore' });
      return true;
    } catch {
      return false;
    }
  });
}

/** A small disk that can hang, gone after the test; `undefined` where this machine does not let us mount one. */
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

/** So long at most a disk hangs: what waits for it cannot even be killed. Seconds. */
const frozenMax = 30;

/** Lets whatever writes to that disk hang, until disposed. */
export function freeze(path: string): Disposable {
  execFileSync('fsfreeze', ['-f', path], { stdio: 'ignore' });
  const dog = spawn('/bin/sh', ['-c', `sleep ${frozenMax}; fsfreeze -u "$0"`, path], { detached: true, stdio: 'ignore' });
  dog.unref();
  return {
    [Symbol.dispose]() {
      execFileSync('fsfreeze', ['-u', path], { stdio: 'ignore' });
      process.kill(-(dog.pid ?? 0));
    },
  };
}
