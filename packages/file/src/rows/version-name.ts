// The names of the files of rows. A row is a sequence of versions, and each version is a file:
//
// DIRECTORY/GROUP/rows/ROW.N     version N of a row; ROW is its name, encoded
//                     /history   created with the directory: another one is another history
//                     /awaited   written when members wait for a change
//                     /doubted   written when a member doubts the store (M6)
//                     /together~ID   texts of several versions, durable before the texts of their files
//
// Version N + 1 counts only if version N is beside it. Two versions of a row are always kept, and
// older ones for a while, so that a listing during which the row changes still finds one that counts.
// A member that was paused may link a number again that was removed, or that a row had in an earlier
// life: it has no predecessor, so no member reads it.
import { encodedName } from '../disk/file-name.ts';

/** The file that identifies the history of the rows. */
export const historyFile = 'history';

/** The file that is written to notify the other members. */
export const awaitedFile = 'awaited';

/** The file that is written by a member that doubts the store. */
export const doubtedFile = 'doubted';

/** How the names of files begin that have the texts of several versions. No name of a version has a tilde. */
export const togetherPrefix = 'together~';

/** The files that are no versions. */
export const otherFiles: readonly string[] = [historyFile, awaitedFile, doubtedFile];

/** A version of a row, as the name of its file says it. */
export interface Version {
  readonly row: string;
  readonly number: number;
  readonly file: string;
}

/** Returns a version of a row. */
export function versionOf(row: string, number: number): Version {
  return { row, number, file: `${encodedName(row)}.${number}` };
}

/** Returns the file of the version before; `undefined` for the first one. */
export function fileBefore({ file, number }: Version): string | undefined {
  return number === 1 ? undefined : `${file.slice(0, file.lastIndexOf('.'))}.${number - 1}`;
}

/** Parses the name of a file; `undefined` for files that no member wrote. */
export function parseVersion(file: string): Version | undefined {
  const [, encoded, digits] = /^((?:[a-z0-9_-]|%[0-9a-f]{2})+)\.([1-9]\d{0,14})$/.exec(file) ?? [];
  const row = encoded && decoded(encoded);
  return row === undefined || row === '' ? undefined : { row, number: Number(digits), file };
}

function decoded(encoded: string): string | undefined {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}

/** The text of a version that removes its row: no text of a row has this character. */
const removal = '\0';

/** Returns the content of a version; `null` removes the row. */
export function contentOf(text: string | null): string {
  return `${text ?? removal}\n`;
}

/**
 * Returns the text in a version; `null` if it removes the row. `undefined`: it was not written
 * completely, as after a power loss. Then it changes nothing.
 */
export function textIn(content: string): string | null | undefined {
  if (!content.endsWith('\n')) return undefined;
  const text = content.slice(0, -1);
  return text === removal ? null : text;
}

/**
 * Whether the row may be lost with the power, because no member lives then that it speaks of: a
 * session or a note.
 */
export function isBrief(row: string): boolean {
  return row.startsWith('session#') || row.startsWith('member#');
}
