import { disk } from './disk.ts';
import { codeOf, missing } from './errors.ts';

/** What is no plain file reads as. */
const odd = '';

/** What opening or reading a file that is no plain one fails with. */
const oddities: readonly string[] = ['ELOOP', 'EMLINK', 'ENXIO', 'EISDIR'];

/**
 * The text of a file; `undefined` where there is none. What is larger than any record, or no plain file, reads as empty, and an
 * empty text is no record.
 */
export async function readText(path: string): Promise<string | undefined> {
  try {
    return await disk.readText(path);
  } catch (error) {
    const code = codeOf(error) ?? '';
    if (missing.includes(code)) return undefined;
    if (oddities.includes(code)) return odd;
    throw error;
  }
}
