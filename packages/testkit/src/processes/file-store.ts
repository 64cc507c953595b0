// The stores of tests with processes: one with a fence, and one without, for the counter-proof.
import { join } from 'node:path';
import type { FencedStore, StoredValue } from './fenced-store.ts';
import { append, type Latest, latestFrom } from './store-versions.ts';

/**
 * Opens a fenced store that the processes of one host share: files in `directory`, which is created
 * if missing.
 */
export function fileFencedStore(directory: string): FencedStore {
  return fileStore(directory, (written, token) => token >= (written?.token ?? 0n));
}

/**
 * Opens a file store that accepts every write, so that a zombie can overwrite the newest value.
 * It proves that a check with {@link fileFencedStore} would detect a missing fence.
 */
export function fileUnfencedStore(directory: string): FencedStore {
  return fileStore(directory, () => true);
}

/**
 * Opens a file store that processes share and that applies the writes which `admits` lets follow the
 * previous one. It never deletes files, so use it for tests only.
 */
function fileStore(
  directory: string,
  admits: (written: StoredValue | undefined, token: bigint) => boolean,
): FencedStore {
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
