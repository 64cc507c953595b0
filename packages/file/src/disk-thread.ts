// The thread that disk.ts starts: makes one call after the other, and answers each.
import { parentPort } from 'node:worker_threads';
import { type DiskCalls, diskCalls } from './disk-calls.ts';

/** A call on its way to the thread. */
export interface DiskRequest {
  readonly id: number;
  readonly name: keyof DiskCalls;
  readonly args: readonly unknown[];
}

/** What an error says, as plain data: its class and its fields would not cross. */
export interface DiskFailure {
  readonly message: string;
  readonly code: string | undefined;
}

/** What became of a call. */
export interface DiskReply {
  readonly id: number;
  readonly value?: unknown;
  readonly failure?: DiskFailure;
}

parentPort?.on('message', ({ id, name, args }: DiskRequest) => {
  parentPort?.postMessage(answer(id, diskCalls[name] as (...args: readonly unknown[]) => unknown, args));
});

function answer(id: number, call: (...args: readonly unknown[]) => unknown, args: readonly unknown[]): DiskReply {
  try {
    return { id, value: call(...args) };
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException;
    return { id, failure: { message, code } };
  }
}
