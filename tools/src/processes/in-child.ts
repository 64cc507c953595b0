import type { Message } from './start-child.ts';

/** In a child process: returns the input that the parent passed. */
export function inputOf<T>(): T {
  return JSON.parse(process.argv[2] ?? '{}') as T;
}

/** In a child process: sends a message to the parent. Resolves once it is sent. */
export function report<T extends Message>(message: T): Promise<void> {
  return new Promise((resolve) => {
    process.send?.(message, () => resolve());
  });
}

/**
 * In a child process: returns the host's monotonic clock, which all its processes share.
 * Nanoseconds, as a decimal string.
 */
export function nowNs(): string {
  return String(process.hrtime.bigint());
}
