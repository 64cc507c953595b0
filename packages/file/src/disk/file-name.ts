// Turns names of groups and members into names of files.
import { createHash } from 'node:crypto';

/**
 * Longer names are cut and get a hash, because file systems allow 255 bytes with the suffix. Bytes.
 */
const lengthMax = 120;

/**
 * Returns a safe file name for any group or member name: it cannot leave its directory, is not
 * hidden and needs no quoting. Different names get different file names, even if the file system
 * ignores case or normalizes Unicode. All bytes except lower-case letters, digits, `-` and `_` are
 * written as `%xx`.
 */
export function fileNameOf(name: string): string {
  const encoded = encodedName(name);
  if (encoded.length <= lengthMax) return encoded;
  const hash = createHash('sha256').update(name).digest('hex');
  return `${encoded.slice(0, lengthMax - hash.length - 1)}~${hash}`;
}

/** Returns the name without a limit of its length, so that it can be decoded. */
export function encodedName(name: string): string {
  return Array.from(Buffer.from(name, 'utf8'), encodeByte).join('');
}

function encodeByte(byte: number): string {
  const character = String.fromCharCode(byte);
  return /[a-z0-9_-]/.test(character) ? character : `%${byte.toString(16).padStart(2, '0')}`;
}
