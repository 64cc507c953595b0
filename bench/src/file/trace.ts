// What a member asks of the file system, written down while it does, so that a bare loop can ask the same at the same times.

import fs from 'node:fs';
import { type FileHandle, default as promises } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

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

const functions = ['readdir', 'readFile', 'writeFile', 'link', 'unlink', 'rename', 'mkdir', 'stat', 'lstat', 'rm'] as const;
const methods = ['read', 'write', 'writeFile', 'datasync', 'sync', 'stat', 'close'] as const;

/** From now on every call of `node:fs/promises` in this process is written down. */
export function traceFiles(): Trace {
  let beganAt = performance.now();
  let opened = 0;
  const calls: Call[] = [];
  const watched: string[] = [];
  const note: Note = (name, args, handle) => {
    const atMs = performance.now() - beganAt;
    calls.push({ atMs, name, args: args.map(plain), ...(handle !== undefined && { handle }) });
  };
  const promised = promises as unknown as Methods;
  for (const name of functions) noteCalls(promised, name, note);
  const { open } = promises;
  const openNoted = async (...args: Parameters<typeof open>): Promise<FileHandle> => {
    opened += 1;
    const handle = opened;
    note('open', args, handle);
    const file = await open(...args);
    for (const name of methods) noteCalls(file as unknown as Methods, name, note, handle);
    return file;
  };
  Object.assign(promises, { open: openNoted });
  const { watch } = fs;
  const watchNoted = (...args: Parameters<typeof watch>): ReturnType<typeof watch> => {
    watched.push(String(args[0]));
    return watch(...args);
  };
  Object.assign(fs, { watch: watchNoted });
  syncBuiltinESMExports();
  const begin = (): void => {
    calls.length = 0;
    beganAt = performance.now();
  };
  return { calls, watched, begin };
}

type Methods = Record<string, (...args: unknown[]) => Promise<unknown>>;
type Note = (name: string, args: readonly unknown[], handle?: number) => void;

function noteCalls(of: Methods, name: string, note: Note, handle?: number): void {
  const method = of[name];
  if (method === undefined) return;
  of[name] = (...args) => {
    note(name, args, handle);
    return method.apply(of, args);
  };
}

function plain(arg: unknown): unknown {
  return ArrayBuffer.isView(arg) ? arg.byteLength : arg;
}
