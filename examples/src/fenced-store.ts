// A store that rejects late writes of a member that was paused while it led (T2): readers never see
// a write with a lower token after a write with a higher one. In SQL, this is an additional
// condition: UPDATE reports SET text = $1, fence = $2 WHERE id = $3 AND fence <= $2
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Returns the file name of a token. Tokens have at most 63 bits, so names with 19 digits sort in
 * the order of the numbers.
 */
const nameOf = (token: bigint): string => token.toString().padStart(19, '0');

/**
 * Stores a text in a directory, with one file per token. The file with the greatest token is the
 * current text.
 */
export class FencedStore {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Writes the text. Rejects if a greater token has already written. */
  async write(text: string, fence: bigint): Promise<void> {
    await mkdir(this.#directory, { recursive: true });
    const scratch = join(this.#directory, `.${randomUUID()}`);
    await writeFile(scratch, text);
    await rename(scratch, join(this.#directory, nameOf(fence)));
    const greatest = await this.#greatest();
    if (greatest !== undefined && greatest > nameOf(fence))
      throw new Error(`rejected: a token greater than ${fence} has written`);
  }

  /** Returns the text that the greatest token wrote last, or `undefined` before the first write. */
  async read(): Promise<string | undefined> {
    const name = await this.#greatest();
    return name === undefined ? undefined : readFile(join(this.#directory, name), 'utf8');
  }

  async #greatest(): Promise<string | undefined> {
    const names = await readdir(this.#directory);
    return names
      .filter((name) => /^\d{19}$/.test(name))
      .sort()
      .at(-1);
  }
}
