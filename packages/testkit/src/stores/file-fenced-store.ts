import type { FencedStore } from './fenced-store.ts';
import { fileStore } from './file-store.ts';

/** A fenced store shared by the processes of one host: files in `directory`, which is made where it is missing. */
export function fileFencedStore(directory: string): FencedStore {
  return fileStore(directory, (written, token) => token >= (written?.token ?? 0n));
}
