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

/** Answers wait for each other for this time at most, so that a slow call delays no other. Milliseconds. */
const togetherMs = 1;

parentPort?.on('message', (requests: readonly DiskRequest[]) => {
  let replies: DiskReply[] = [];
  let sentAt = performance.now();
  for (const { id, name, args } of requests) {
    replies.push(answer(id, diskCalls[name] as (...args: readonly unknown[]) => unknown, args));
    const now = performance.now();
    if (now - sentAt < togetherMs) continue;
    parentPort?.postMessage(replies);
    replies = [];
    sentAt = now;
  }
  if (replies.length > 0) parentPort?.postMessage(replies);
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
