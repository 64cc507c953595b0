// What a member asks of the file system, written down while it does, so that a bare loop can ask the same at the same times.

import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import threads from 'node:worker_threads';

/** One call, and when it was made. */
export interface Call {
  /** Since the trace began. Milliseconds. */
  readonly atMs: number;
  readonly name: string;
  /** Which open file it was made on; for `open`, which one it opened. */
  readonly handle?: number;
  /** As they survive JSON; a buffer to read into is its length. */
  readonly args: readonly unknown[];
}

/** A member's calls so far, and the directories it watches. */
export interface Trace {
  readonly calls: Call[];
  readonly watched: string[];
  /** Forgets the calls, and counts time from here. */
  begin(): void;
}

const functions = ['readdir', 'link', 'unlink', 'rename', 'mkdir', 'stat', 'lstat', 'rm'] as const;
const onFiles = { readSync: 'read', writeFileSync: 'writeFile', fdatasyncSync: 'datasync', fsyncSync: 'sync', closeSync: 'close' } as const;

/**
 * From now on every call of the member is written down. It makes them in a thread of its own, out of reach: without one it makes
 * the same calls here, at the same times.
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
    throw new Error('a member that is traced has no thread');
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
