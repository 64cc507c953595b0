import { stat } from 'node:fs/promises';
import { missing, unless } from './errors.ts';

/**
 * What tells a directory from another one that has its name later; `undefined` where there is none. Its number alone does
 * not: some file systems give it out again at once.
 */
export async function lifeOf(directory: string): Promise<string | undefined> {
  const found = await unless(missing, stat(directory));
  return found && `${found.dev}/${found.ino}/${found.birthtimeMs}`;
}
