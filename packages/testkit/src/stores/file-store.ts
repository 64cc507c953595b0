import { join } from 'node:path';
import type { FencedStore, StoredValue } from './fenced-store.ts';
import { append, type Latest, latestFrom } from './versions.ts';

/** Whether a write may follow what was written last. */
export type Admission = (written: StoredValue | undefined, token: bigint) => boolean;

/** A store of files in a directory, shared by processes, which takes the writes that are admitted. It grows: made for tests. */
export function fileStore(directory: string, admits: Admission): FencedStore {
  const chains = new Map<string, Latest>();
  const homeOf = (key: string): string => join(directory, directoryNameOf(key));
  const latestOf = async (key: string): Promise<Latest> => {
    const latest = await latestFrom(homeOf(key), chains.get(key) ?? { number: 0, stored: undefined });
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

/** No key climbs out of the store. */
function directoryNameOf(key: string): string {
  return encodeURIComponent(key).replaceAll('.', '%2E');
}
