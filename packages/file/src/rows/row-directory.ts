// Reads the directory of a group's rows: which versions there are, and the texts of the newest.
import { join } from 'node:path';
import { LeadershipError } from '@leadership/core';
import type { Clock, Instant } from '@leadership/core/adapter';
import { lifeOf } from '../disk/directory-life.ts';
import { disk } from '../disk/disk.ts';
import { readText } from '../disk/read-text.ts';
import { missing, unless } from '../errors.ts';
import { contentTogether, type Together } from './together.ts';
import {
  fileBefore,
  historyFile,
  otherFiles,
  parseVersion,
  textIn,
  togetherPrefix,
  type Version,
} from './version-name.ts';

/** A file of a version, as this member knows it. */
export interface VersionFile extends Version {
  /** When this member saw it first. */
  readonly seenAt: Instant;
  /** Whether this member wrote it. */
  readonly isOwn: boolean;
  /** Its content as it was read last. */
  content?: string | undefined;
  /** Whether it is read again before its text is used. */
  isStale?: boolean;
}

/** The directory as it was read. */
export interface View {
  /** Identifies the history of the rows; `undefined` if they do not exist. */
  readonly history: string | undefined;
  readonly files: ReadonlyMap<string, VersionFile>;
  /** The files with the texts of several versions. */
  readonly together: ReadonlyMap<string, Together>;
  /** The newest version of each row that counts. */
  readonly heads: ReadonlyMap<string, VersionFile>;
  readonly rows: ReadonlyMap<string, string>;
  /**
   * The rows with a version above the newest one that counts. The next version could give it a
   * predecessor, so no member writes one until the other is removed.
   */
  readonly strays: ReadonlySet<string>;
}

/** The number of attempts to read a directory that changes during the reading. */
const triesMax = 8;

/** The number of names of foreign files that are remembered, so that each is counted once. */
const foreignMax = 256;

const nothing: View = {
  history: undefined,
  files: new Map(),
  together: new Map(),
  heads: new Map(),
  rows: new Map(),
  strays: new Set(),
};

/** Reads the directory of rows again and again, and every text once. */
export class RowDirectory {
  readonly path: string;
  readonly #clock: Clock;
  readonly #ignored: (what: string) => void;
  readonly #counted = new Set<string>();
  readonly #keptMs: number;
  #view: View = nothing;
  #readAt: Instant;

  /** @param keptMs - how long a removed row keeps its names, in milliseconds */
  constructor(path: string, keptMs: number, clock: Clock, ignored: (what: string) => void) {
    this.path = path;
    this.#keptMs = keptMs;
    this.#clock = clock;
    this.#readAt = clock.now();
    this.#ignored = ignored;
  }

  /** The rows as read last, with the own changes since. */
  get view(): View {
    return this.#view;
  }

  /** Returns the identity of the present history; `undefined` without rows. */
  history(): Promise<string | undefined> {
    return lifeOf(join(this.path, historyFile));
  }

  /**
   * Reads the directory. A row that is missing, or that went back, is believed only once two readings
   * have shown it.
   * @throws LeadershipError `unreachable` if it changes during each attempt
   */
  async read(): Promise<View> {
    const now = this.#clock.now();
    // A row that was removed and created again has files of the same names.
    if (now - this.#readAt > this.#keptMs)
      for (const { file } of this.#view.files.values()) this.forget(file);
    this.#readAt = now;
    let isBehind = false;
    for (let tries = 1; tries <= triesMax; tries += 1) {
      const view = await this.#attempt();
      if (view === undefined) continue;
      const wasBehind = isBehind;
      isBehind = lacks(view, this.#view);
      if (isBehind && !wasBehind) continue;
      this.#view = view;
      return view;
    }
    throw new LeadershipError(
      'unreachable',
      `${this.path}: it changes faster than it can be read: find out which process removes it while it is in use`,
    );
  }

  /** Reads everything again: another directory may have the name. */
  reset(): void {
    this.#view = nothing;
  }

  /**
   * Reads the file again in the next reading: a person may have changed it. Until then a change rests on
   * the content that was read: the watch reports each version, often late, and also those that this member
   * has written.
   */
  forget(file = ''): void {
    const known = this.#view.files.get(file);
    if (known !== undefined) known.isStale = true;
  }

  /** Notes a version that this member has linked, so that it is not read. */
  wrote(version: Version, content: string): void {
    const files = this.#view.files as Map<string, VersionFile>;
    files.set(version.file, { ...version, seenAt: this.#clock.now(), isOwn: true, content });
  }

  /** Notes a file with texts of several versions that this member has written. */
  wroteTogether(name: string): void {
    const together = this.#view.together as Map<string, Together>;
    together.set(name, { seenAt: this.#clock.now(), isOwn: true });
  }

  /** Returns `undefined` if the directory changed so that the parts do not belong together. */
  async #attempt(): Promise<View | undefined> {
    // The disk answers in the order of the calls, so all calls are made at once.
    const [history, names, after] = await Promise.all([
      this.history(),
      unless(missing, disk.readdir(this.path)),
      this.history(),
    ]);
    if (history === undefined) return nothing;
    if (names === undefined || after !== history) return undefined;
    const { files, together } = this.#filesOf(names, history === this.#view.history);
    const { heads, strays } = headsOf(files);
    const isKnown = Array.from(heads.values()).every((head) => !isToRead(head));
    const read = await Promise.all(
      Array.from(heads.values(), (head) => this.#textOf({ files, together }, head)),
    );
    if (read.some((row) => row === undefined)) return undefined;
    if (!isKnown && (await this.history()) !== history) return undefined;
    const rows = new Map<string, string>();
    for (const row of read) if (row && row[1] !== null) rows.set(row[0], row[1]);
    return { history, files, together, heads, rows, strays };
  }

  #filesOf(names: readonly string[], isKnown: boolean): Pick<View, 'files' | 'together'> {
    const known = isKnown ? this.#view : nothing;
    const seenAt = this.#clock.now();
    const files = new Map<string, VersionFile>();
    const together = new Map<string, Together>();
    for (const name of names) {
      const file = known.files.get(name) ?? parsed(name, seenAt);
      if (file !== undefined) files.set(name, file);
      else if (name.startsWith(togetherPrefix))
        together.set(name, known.together.get(name) ?? { seenAt, isOwn: false });
      else if (!otherFiles.includes(name)) this.#count(name, 'foreign-file');
    }
    return { files, together };
  }

  /** Returns a row; `undefined` if its file was removed meanwhile. */
  async #textOf(
    { files, together }: Pick<View, 'files' | 'together'>,
    head: VersionFile,
  ): Promise<readonly [string, string | null] | undefined> {
    for (let file: VersionFile | undefined = head; file; file = fileBelow(files, file)) {
      if (isToRead(file)) await this.#readContent(file);
      if (file.content === undefined) return undefined;
      const own = textIn(file.content);
      const text = own === undefined ? await this.#textTogether(together, file) : own;
      if (text !== undefined) return [head.row, text];
      this.#count(file.file, 'unreadable-version');
    }
    return [head.row, null];
  }

  /** Returns a text that was lost with the power, although it must last. */
  async #textTogether(
    together: ReadonlyMap<string, Together>,
    { file }: VersionFile,
  ): Promise<string | null | undefined> {
    const content = await contentTogether(this.path, together, file);
    return content === undefined ? undefined : textIn(content);
  }

  async #readContent(file: VersionFile): Promise<void> {
    // First: what is reported during the reading asks for another one.
    file.isStale = false;
    try {
      file.content = await readText(join(this.path, file.file));
    } catch (error) {
      file.isStale = true;
      throw error;
    }
  }

  #count(name: string, what: string): void {
    if (this.#counted.has(name)) return;
    if (this.#counted.size < foreignMax) this.#counted.add(name);
    this.#ignored(what);
  }
}

function isToRead({ content, isStale = false }: VersionFile): boolean {
  return content === undefined || isStale;
}

function parsed(name: string, seenAt: Instant): VersionFile | undefined {
  const version = parseVersion(name);
  return version && { ...version, seenAt, isOwn: false };
}

function fileBelow(
  files: ReadonlyMap<string, VersionFile>,
  version: Version,
): VersionFile | undefined {
  return files.get(fileBefore(version) ?? '');
}

function headsOf(files: ReadonlyMap<string, VersionFile>): Pick<View, 'heads' | 'strays'> {
  const heads = new Map<string, VersionFile>();
  const loose: VersionFile[] = [];
  for (const file of files.values()) {
    const { row, number } = file;
    if (number > 1 && fileBelow(files, file) === undefined) loose.push(file);
    else if (number > (heads.get(row)?.number ?? 0)) heads.set(row, file);
  }
  const strays = loose.filter(({ row, number }) => number > (heads.get(row)?.number ?? 0));
  return { heads, strays: new Set(strays.map(({ row }) => row)) };
}

/** Whether a row is missing that was there before, or went back. */
function lacks({ history, heads }: View, before: View): boolean {
  if (history !== before.history) return false;
  for (const [row, { number }] of before.heads)
    if (number > (heads.get(row)?.number ?? 0)) return true;
  return false;
}
