import type { FencedStore, StoredValue } from '../../src/processes/fenced-store.ts';

/** Creates a fenced store in memory. */
export function memoryFencedStore(): FencedStore {
  const values = new Map<string, StoredValue>();
  return {
    async write(key, value, token) {
      if (token < (values.get(key)?.token ?? 0n)) return 'refused';
      values.set(key, { value, token });
      return 'written';
    },
    read: async (key) => values.get(key),
  };
}
