import type { Stream } from '../../src/stream/stream.ts';

/** Wraps a stream and records the pause before each read, with the number of refusals before it. */
export function pausesAfterRefusals() {
  const pauses: { readonly refusals: number; readonly ms: number }[] = [];
  let refusals = 0;
  let endedAt = Number.NEGATIVE_INFINITY;
  const timed = (stream: Stream): Stream => ({
    ...stream,
    async read(...asked) {
      pauses.push({ refusals, ms: performance.now() - endedAt });
      refusals += 1;
      try {
        const batch = await stream.read(...asked);
        refusals = 0;
        return batch;
      } finally {
        endedAt = performance.now();
      }
    },
  });
  return { pauses, timed };
}
