// A store that is safe from a member that was paused while it led (T2): it never shows what a lower token wrote after a higher one.
// In SQL it is one more condition:  UPDATE reports SET text = $1, fence = $2 WHERE id = $3 AND fence <= $2
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Tokens fit 63 bits: names of 19 digits sort like the numbers do. */
const nameOf = (token: bigint): string => token.toString().padStart(19, '0');

/** A text in a directory, one file per token that wrote it: the greatest counts. */
export class FencedStore {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Rejects where a greater token has written already. */
  async write(text: string, fence: bigint): Promise<void> {
    await mkdir(this.#directory, { recursive: true });
    const scratch = join(this.#directory, `.${randomUUID()}`);
    await writeFile(scratch, text);
    await rename(scratch, join(this.#directory, nameOf(fence)));
    const greatest = await this.#greatest();
    if (greatest !== undefined && greatest > nameOf(fence)) throw new Error(`refused: token ${fence} is not the greatest`);
  }

  /** What the greatest token wrote last. */
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
