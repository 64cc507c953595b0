// Reads a small file of an election.
import { codeOf, missing } from '../errors.ts';
import { disk } from './disk.ts';

/** The text that anything but a regular file reads as. */
const odd = '';

/** The codes with which opening or reading fails if the path is not a regular file. */
const oddities: readonly string[] = ['ELOOP', 'EMLINK', 'ENXIO', 'EISDIR'];

/**
 * Reads the text of a file; `undefined` if it does not exist. Anything but a regular file reads as
 * an empty text, which is not a valid record, and so does a file that is larger than any record.
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
