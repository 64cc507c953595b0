import type { FencedStore } from './fenced-store.ts';
import { fileStore } from './file-store.ts';

/**
 * The same files without the fence: it takes what comes, as most stores do, and so loses its newest value to a zombie. Here to show
 * that a check which trusts {@link fileFencedStore} would notice if the fence were gone.
 */
export function fileUnfencedStore(directory: string): FencedStore {
  return fileStore(directory, () => true);
}
