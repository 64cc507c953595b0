// The entry point of the thread that disk.ts starts. It runs one call after the other and returns
// each result.
import { parentPort } from 'node:worker_threads';
import { type DiskCalls, diskCalls } from './disk-calls.ts';

/** A call that is sent to the thread. */
export interface DiskRequest {
  readonly id: number;
  readonly name: keyof DiskCalls;
  readonly args: readonly unknown[];
}

/**
 * An error as plain data, because the class and the fields of an error cannot be sent between
 * threads.
 */
export interface DiskFailure {
  readonly message: string;
  readonly code: string | undefined;
}

/** The result of a call. */
export interface DiskReply {
  readonly id: number;
  readonly value?: unknown;
  readonly failure?: DiskFailure;
}

parentPort?.on('message', ({ id, name, args }: DiskRequest) => {
  parentPort?.postMessage(
    answer(id, diskCalls[name] as (...args: readonly unknown[]) => unknown, args),
  );
});

function answer(
  id: number,
  call: (...args: readonly unknown[]) => unknown,
  args: readonly unknown[],
): DiskReply {
  try {
    return { id, value: call(...args) };
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException;
    return { id, failure: { message, code } };
  }
}
