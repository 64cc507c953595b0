// Writes new versions of rows: each with its text aside first, and then by a link, which fails if
// another member has made that version.
import { join } from 'node:path';
import { ownershipToken, type RowChange } from '@leadership/core/adapter';
import type { InFlight } from '@leadership/core/internal/engine';
import { disk } from '../disk/disk.ts';
import { readText } from '../disk/read-text.ts';
import type { Scratch } from '../disk/scratch.ts';
import { syncDirectory } from '../disk/sync-directory.ts';
import { codeOf, missing, unless } from '../errors.ts';
import type { RowDirectory, VersionFile, View } from './row-directory.ts';
import { isShort, type Written, writeTogether } from './together.ts';
import { contentOf, isBrief, type Version, versionOf } from './version-name.ts';

/** The row with the values that all members must have. */
export const pinRow = 'pin';

/** How the names of the rows begin that packages keep. */
const keptPrefix = 'kept#';

/** The parts of its store that a writer needs. */
export interface WriterParts {
  readonly directory: RowDirectory;
  readonly scratch: Scratch;
  readonly busy: InFlight;
  /** Throws if a version must not be linked any more. */
  readonly checkOpen: () => void;
  /** The error of a change whose outcome is unknown. */
  readonly unknown: () => Error;
}

/** A version that is to be written in place of the one that was read. */
interface Next {
  readonly version: Version;
  readonly content: string;
  readonly head: VersionFile | undefined;
  readonly isToLast: boolean;
}

/** The steps before a version of a request is linked. */
interface Before {
  readonly mayWrite: Promise<void>;
  /** Resolves once the texts that were written together are on the disk. */
  readonly together: Promise<void>;
  readonly has: ReadonlySet<Next>;
  readonly signal: AbortSignal;
}

/** Writes the versions of one member. */
export class VersionWriter {
  readonly #parts: WriterParts;
  /** The files and the directory with texts and names that must last, and may be lost with the power. */
  readonly #unsynced = new Set<string>();

  constructor(parts: WriterParts) {
    this.#parts = parts;
  }

  /** Makes the changes, each if its row has the text that the member has read. */
  async write(
    changes: readonly RowChange[],
    mayWrite: Promise<void>,
    signal: AbortSignal,
  ): Promise<readonly boolean[]> {
    const { view } = this.#parts.directory;
    const [first, ...others] = changes.map((change) => nextOf(view, change));
    // The renewal comes first, and does not wait for the disk.
    const alone = { mayWrite, together: Promise.resolve(), has: new Set<Next>(), signal };
    const outcome = await this.#writeNext(first, alone);
    const lasting = others.flatMap((next) => (next?.isToLast && isShort(next.content) ? next : []));
    const has = new Set(lasting.length > 1 ? lasting : []);
    const before = { ...alone, together: this.#writeTogether([...has]), has };
    return [outcome, ...(await Promise.all(others.map((next) => this.#writeNext(next, before))))];
  }

  /**
   * Makes the versions durable that must last: their texts and their names at once, so that the disk is
   * waited for once. Nothing rests on a version before that.
   */
  async sync(): Promise<void> {
    const paths = [...this.#unsynced];
    this.#unsynced.clear();
    const { path: directory } = this.#parts.directory;
    const syncing = paths.map((path) =>
      path === directory ? syncDirectory(path) : unless(missing, disk.sync(path, 'r+')),
    );
    try {
      await Promise.all(syncing);
    } catch (error) {
      for (const path of paths) this.#unsynced.add(path);
      throw error;
    }
  }

  async #writeTogether(nexts: readonly Next[]): Promise<void> {
    if (nexts.length === 0) return;
    const { directory } = this.#parts;
    const texts = nexts.map(({ version, content }): Written => [version.file, content]);
    for (const name of await writeTogether(directory.path, texts)) directory.wroteTogether(name);
  }

  async #writeNext(next: Next | undefined, before: Before): Promise<boolean> {
    if (next === undefined) return false;
    const { directory, scratch, busy, checkOpen, unknown } = this.#parts;
    const { version, content, head, isToLast } = next;
    const { mayWrite, together, has, signal } = before;
    // Its present content, because another reading may renew it.
    const stands = this.#standing(head);
    const putting = scratch.put(content);
    try {
      const [isStanding, aside] = await Promise.all([stands(), putting, mayWrite, together]);
      if (!isStanding) {
        directory.forget(head?.file);
        return false;
      }
      checkOpen();
      if (signal.aborted) throw unknown();
      const path = join(directory.path, version.file);
      if (isToLast) this.#unsynced.add(directory.path);
      if (isToLast && !has.has(next)) this.#unsynced.add(path);
      const linking = this.#linked(aside, version);
      const [isLinked, stillStands] = await Promise.all([linking, stands()]);
      if (!isLinked) {
        // It is the file of another member, perhaps of another user.
        this.#unsynced.delete(path);
        return false;
      }
      if (!stillStands) throw unknown();
    } finally {
      const dropped = putting.then((aside) => scratch.drop(aside));
      busy.track(dropped).catch(() => undefined);
    }
    directory.wrote(version, content);
    return true;
  }

  async #linked(aside: string, { file }: Version): Promise<boolean> {
    try {
      await disk.link(aside, join(this.#parts.directory.path, file));
      return true;
    } catch (error) {
      if (codeOf(error) === 'EEXIST') return false;
      throw error;
    }
  }

  /** Returns how to ask whether the version that is replaced still has the content that was read. */
  #standing(head: VersionFile | undefined): () => Promise<boolean> {
    if (head === undefined) return () => Promise.resolve(true);
    const { file, content } = head;
    return async () => (await readText(join(this.#parts.directory.path, file))) === content;
  }
}

/** Returns what a change writes; `undefined` if its row has another text than it expects. */
function nextOf(
  { rows, heads, strays }: View,
  { name, expected, text }: RowChange,
): Next | undefined {
  if (strays.has(name) || (rows.get(name) ?? null) !== expected) return undefined;
  const head = heads.get(name);
  return {
    version: versionOf(name, (head?.number ?? 0) + 1),
    content: contentOf(text),
    head,
    isToLast: isLasting(name, text),
  };
}

/**
 * Whether the text must survive a loss of power: it has the token of a term, is the pin, or was kept by
 * a package, such as a tick that was claimed. After a power loss no member on this host believes that it
 * leads, so a lost renewal or release only costs a wait.
 */
function isLasting(row: string, text: string | null): boolean {
  if (row === pinRow || row.startsWith(keptPrefix)) return true;
  return !isBrief(row) && text !== null && ownershipToken(text) !== undefined;
}
