// Records the file-system calls of a member, so that a loop without a member (`replay.ts`) can make
// the same calls at the same times.

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

/** The functions on paths, without `Sync`. */
const pathFunctions = [
  'readdir',
  'link',
  'unlink',
  'rename',
  'mkdir',
  'stat',
  'lstat',
  'rm',
] as const;
/** The functions on open files, and the methods of `FileHandle` that do the same. */
const fileFunctions = {
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
  const record: RecordCall = (name, args, handle) => {
    const atMs = performance.now() - beganAt;
    calls.push({
      atMs,
      name,
      args: args.map(withoutContent),
      ...(handle !== undefined && { handle }),
    });
  };
  const methods = fs as unknown as Methods;
  for (const name of pathFunctions) intercept(methods, `${name}Sync`, (args) => record(name, args));
  for (const [method, name] of Object.entries(fileFunctions)) {
    intercept(methods, method, ([file, ...args]) => record(name, args, handles.get(file)));
  }
  const { openSync } = fs;
  const openRecorded = (...args: Parameters<typeof openSync>): number => {
    opened += 1;
    record('open', args, opened);
    const file = openSync(...args);
    handles.set(file, opened);
    return file;
  };
  intercept(methods, 'watch', ([path]) => watched.push(String(path)));
  Object.assign(fs, { openSync: openRecorded });
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
type RecordCall = (name: string, args: readonly unknown[], handle?: number) => void;

function intercept(
  target: Methods,
  name: string,
  before: (args: readonly unknown[]) => void,
): void {
  const method = target[name];
  if (method === undefined) return;
  target[name] = (...args) => {
    before(args);
    return method.apply(target, args);
  };
}

function withoutContent(arg: unknown): unknown {
  return ArrayBuffer.isView(arg) ? arg.byteLength : arg;
}
