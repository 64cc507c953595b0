// The memory backend as the benchmarks of elections use it: all members live in one process.
import type { Backend } from './backend.ts';

/** A group of one process. */
export const memory: Backend = {
  name: 'memory',
  isOffered: () => Promise.resolve(true),
  open: async () => ({
    place: 'memory',
    address: (group) => ({ url: `memory:${group}` }),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  }),
};
