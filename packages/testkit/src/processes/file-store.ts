// The files behind both stores of tests with processes, the fenced and the unfenced one.
import { join } from 'node:path';
import type { FencedStore, StoredValue } from './fenced-store.ts';
import { append, type Latest, latestFrom } from './store-versions.ts';

/** Returns whether a write may follow the previous one. */
export type Admission = (written: StoredValue | undefined, token: bigint) => boolean;

/**
 * Opens a file store that processes share and that applies the admitted writes. It never deletes
 * files, so use it for tests only.
 */
export function fileStore(directory: string, admits: Admission): FencedStore {
  const chains = new Map<string, Latest>();
  const homeOf = (key: string): string => join(directory, directoryNameOf(key));
  const latestOf = async (key: string): Promise<Latest> => {
    const latest = await latestFrom(
      homeOf(key),
      chains.get(key) ?? { number: 0, stored: undefined },
    );
    chains.set(key, latest);
    return latest;
  };
  return {
    async write(key, value, token) {
      for (;;) {
        const { number, stored } = await latestOf(key);
        if (!admits(stored, token)) return 'refused';
        if (await append(homeOf(key), number + 1, { value, token })) return 'written';
      }
    },
    read: async (key) => (await latestOf(key)).stored,
  };
}

/** Encodes the key, so that it cannot refer to a path outside the store. */
function directoryNameOf(key: string): string {
  return encodeURIComponent(key).replaceAll('.', '%2E');
}
