import type { Told } from './child.ts';

/** In a child: what it was started with. */
export function inputOf<T>(): T {
  return JSON.parse(process.argv[2] ?? '{}') as T;
}

/** In a child: says something to the parent. Resolves once it is on its way. */
export function say<T extends Told>(told: T): Promise<void> {
  return new Promise((resolve) => {
    process.send?.(told, () => resolve());
  });
}

/** In a child: the host's monotonic clock, comparable between processes of one host. Nanoseconds, as text. */
export function nowNs(): string {
  return String(process.hrtime.bigint());
}
