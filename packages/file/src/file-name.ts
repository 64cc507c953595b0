import { createHash } from 'node:crypto';

/** Longer names are cut and told apart by a hash: file systems stop at 255 bytes, and endings come on top. Bytes. */
const lengthMax = 120;

/**
 * A file name for whatever a group or member is called: nothing in it climbs out of a directory, hides or needs quoting.
 * Different names get different file names, also where the file system ignores case or rewrites Unicode: everything but
 * lower-case letters, digits, `-` and `_` is written as `%xx`, byte by byte.
 */
export function fileNameOf(name: string): string {
  const encoded = Array.from(Buffer.from(name, 'utf8'), encodeByte).join('');
  if (encoded.length <= lengthMax) return encoded;
  const hash = createHash('sha256').update(name).digest('hex');
  return `${encoded.slice(0, lengthMax - hash.length - 1)}~${hash}`;
}

function encodeByte(byte: number): string {
  const character = String.fromCharCode(byte);
  return /[a-z0-9_-]/.test(character) ? character : `%${byte.toString(16).padStart(2, '0')}`;
}
