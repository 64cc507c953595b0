// The fenced store of tests with processes.
import type { FencedStore } from './fenced-store.ts';
import { fileStore } from './file-store.ts';

/**
 * Opens a fenced store that the processes of one host share: files in `directory`, which is created
 * if missing.
 */
export function fileFencedStore(directory: string): FencedStore {
  return fileStore(directory, (written, token) => token >= (written?.token ?? 0n));
}
