// The texts of one request that must survive a loss of power are written together, into one file that
// is synced once. The file of each version has its text as well, and is not synced at first: a text
// that the power took is read from the file of all of them.
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { disk } from '../disk/disk.ts';
import { readText } from '../disk/read-text.ts';
import { missing, unless } from '../errors.ts';
import { textIn, togetherPrefix } from './version-name.ts';

/** The name of the file of a version, and its content. */
export type Written = readonly [file: string, content: string];

/** A file with the texts of several versions, as this member knows it. */
export interface Together {
  readonly seenAt: number;
  /** Whether this member wrote it. */
  readonly isOwn: boolean;
  /** The contents by the names of their files, once they were read. */
  texts?: ReadonlyMap<string, string>;
}

/** The bytes of the texts in one file: what is read of a file at most is larger. */
const bytesMax = 48 * 1024;

/** Whether a text is short enough to be written together with others. */
export function isShort(content: string): boolean {
  return Buffer.byteLength(content) <= bytesMax / 8;
}

/**
 * Writes texts into as few files as they fit in. The texts are on the disk when the promise resolves,
 * and the names of the files once the directory was synced.
 */
export async function writeTogether(
  directory: string,
  texts: readonly Written[],
): Promise<readonly string[]> {
  const writing = filled(texts).map(async (some) => {
    const name = `${togetherPrefix}${randomUUID()}`;
    const options = { flag: 'wx', durable: true } as const;
    await disk.write(join(directory, name), JSON.stringify(some), options);
    return name;
  });
  return await Promise.all(writing);
}

function filled(texts: readonly Written[]): readonly (readonly Written[])[] {
  const files: Written[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const text of texts) {
    const more = Buffer.byteLength(JSON.stringify(text)) + 1;
    if (bytes + more > bytesMax) {
      files.push([]);
      bytes = 0;
    }
    bytes += more;
    files.at(-1)?.push(text);
  }
  return files;
}

/** Returns the content of a version that was written together with others; `undefined` if none was. */
export async function contentTogether(
  directory: string,
  files: ReadonlyMap<string, Together>,
  file: string,
): Promise<string | undefined> {
  for (const [name, together] of files) {
    together.texts ??= textsIn(await readText(join(directory, name)));
    const content = together.texts.get(file);
    if (content !== undefined) return content;
  }
  return undefined;
}

/** One that was not written completely belongs to a request that was not acknowledged. */
function textsIn(text = ''): ReadonlyMap<string, string> {
  try {
    return new Map(JSON.parse(text) as readonly Written[]);
  } catch {
    return new Map();
  }
}

/**
 * Removes a file with texts of several versions, once the files of those versions have them on the
 * disk. Of a version whose text was lost, it is the only place.
 */
export async function separate(
  directory: string,
  name: string,
  isNeeded: (file: string) => boolean,
): Promise<void> {
  const texts = textsIn(await readText(join(directory, name)));
  for (const file of texts.keys()) {
    const path = join(directory, file);
    const content = isNeeded(file) ? await readText(path) : undefined;
    if (content === undefined) continue;
    if (textIn(content) === undefined) return;
    await unless(missing, disk.sync(path));
  }
  await unless(missing, disk.unlink(join(directory, name)));
}
