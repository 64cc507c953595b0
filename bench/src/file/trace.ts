// Records the file-system calls of a member, so that a bare loop can make the same calls at the
// same times.

import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import threads from 'node:worker_threads';

/** A file-system call. */
export interface Call {
  /** Milliseconds since the trace began. */
  readonly atMs: number;
  readonly name: string;
  /**
   * The number of the open file that the call uses. For `open`, the number that the file receives.
   */
  readonly handle?: number;
  /** The arguments as JSON values. A buffer is replaced by its length. */
  readonly args: readonly unknown[];
}

/** The calls of a member so far, and the directories that it watches. */
export interface Trace {
  readonly calls: Call[];
  readonly watched: string[];
  /** Discards the calls so far and restarts the time. */
  begin(): void;
}

const functions = ['readdir', 'link', 'unlink', 'rename', 'mkdir', 'stat', 'lstat', 'rm'] as const;
const onFiles = {
  readSync: 'read',
  writeFileSync: 'writeFile',
  fdatasyncSync: 'datasync',
  fsyncSync: 'sync',
  closeSync: 'close',
} as const;

/**
 * Starts to record the calls of a member in this process. A member normally makes them in a worker
 * thread, where they cannot be recorded. This function disables worker threads, so that the member
 * makes the same calls in the main thread.
 */
export function traceFiles(): Trace {
  let beganAt = performance.now();
  let opened = 0;
  const calls: Call[] = [];
  const watched: string[] = [];
  const handles = new Map<unknown, number>();
  const note: Note = (name, args, handle) => {
    const atMs = performance.now() - beganAt;
    calls.push({ atMs, name, args: args.map(plain), ...(handle !== undefined && { handle }) });
  };
  const methods = fs as unknown as Methods;
  for (const name of functions) noted(methods, `${name}Sync`, (args) => note(name, args));
  for (const [method, name] of Object.entries(onFiles)) {
    noted(methods, method, ([file, ...args]) => note(name, args, handles.get(file)));
  }
  const { openSync } = fs;
  const openNoted = (...args: Parameters<typeof openSync>): number => {
    opened += 1;
    note('open', args, opened);
    const file = openSync(...args);
    handles.set(file, opened);
    return file;
  };
  noted(methods, 'watch', ([path]) => watched.push(String(path)));
  Object.assign(fs, { openSync: openNoted });
  Object.assign(threads, { Worker: NoThread });
  syncBuiltinESMExports();
  const begin = (): void => {
    calls.length = 0;
    beganAt = performance.now();
  };
  return { calls, watched, begin };
}

class NoThread {
  constructor() {
    throw new Error('worker threads are disabled while a member is traced');
  }
}

type Methods = Record<string, (...args: unknown[]) => unknown>;
type Note = (name: string, args: readonly unknown[], handle?: number) => void;

function noted(of: Methods, name: string, note: (args: readonly unknown[]) => void): void {
  const method = of[name];
  if (method === undefined) return;
  of[name] = (...args) => {
    note(args);
    return method.apply(of, args);
  };
}

function plain(arg: unknown): unknown {
  return ArrayBuffer.isView(arg) ? arg.byteLength : arg;
}
