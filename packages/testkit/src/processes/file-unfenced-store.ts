// A store without fencing, for the counter-proof.
import type { FencedStore } from './fenced-store.ts';
import { fileStore } from './file-store.ts';

/**
 * Opens a file store that accepts every write, so that a zombie can overwrite the newest value.
 * It proves that a check with {@link fileFencedStore} would detect a missing fence.
 */
export function fileUnfencedStore(directory: string): FencedStore {
  return fileStore(directory, () => true);
}
