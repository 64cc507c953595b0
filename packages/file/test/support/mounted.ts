import { execFileSync } from 'node:child_process';
import { mkdirSync, rmdirSync } from 'node:fs';

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

/** Mounts what is mounted at `path` anew, with other options. */
export function remount(path: string, options: string): void {
  execFileSync('mount', ['-o', `remount,${options}`, path], { stdio: 'ignore' });
}
