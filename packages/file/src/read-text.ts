import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { codeOf, missing } from './errors.ts';

/** A record is under 2 KiB; whatever is larger than this is none. Bytes. */
const textBytesMax = 64 * 1024;

/** Large enough for every record, so that one read is the rule. Bytes. */
const firstReadBytes = 4096;

// A FIFO must not block the reader, and a symbolic link is none of ours. Windows knows neither flag.
const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);

/**
 * The text of a file; `undefined` where there is none. Never more than 64 KiB is read: what is larger, or no
 * plain file, reads as empty, and an empty text is no record.
 */
export async function readText(path: string): Promise<string | undefined> {
  const file = await openToRead(path);
  if (file === undefined || file === odd) return file;
  try {
    return await readBounded(file);
  } catch (error) {
    if (codeOf(error) === 'EISDIR') return odd;
    throw error;
  } finally {
    await file.close();
  }
}

/** What is no plain file reads as. */
const odd = '';

/** What opening a file that is no plain one fails with. */
const oddities: readonly string[] = ['ELOOP', 'EMLINK', 'ENXIO', 'EISDIR'];

async function openToRead(path: string): Promise<FileHandle | typeof odd | undefined> {
  try {
    return await open(path, flags);
  } catch (error) {
    const code = codeOf(error) ?? '';
    if (missing.includes(code)) return undefined;
    if (oddities.includes(code)) return odd;
    throw error;
  }
}

async function readBounded(file: FileHandle): Promise<string> {
  const first = Buffer.allocUnsafe(firstReadBytes);
  const { bytesRead } = await file.read(first, 0, firstReadBytes, 0);
  if (bytesRead < firstReadBytes) return first.toString('utf8', 0, bytesRead);
  const whole = Buffer.alloc(textBytesMax + 1);
  const all = await file.read(whole, 0, whole.length, 0);
  return all.bytesRead > textBytesMax ? odd : whole.toString('utf8', 0, all.bytesRead);
}
