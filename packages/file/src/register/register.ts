// Follows one register (the lease of one partition) for one member: its current version, and when
// to read again.
//
// The invariant on which everything rests: version N + 1 is current only if version N still exists
// *afterwards*, with exactly the text that was read. Versions are linked and pruned in ascending
// order. A paused member can link a number again that was pruned, but then the predecessor was
// pruned before, and any file in its place has another text. That also holds for version 1: the
// genesis is pruned before it, and is created once in a register's life. Versions of different
// lives have different marks.
import { LeadershipError } from '@leadership/core';
import type { Clock, Instant } from '@leadership/core/adapter';
import { type LedgerEvent, pinRegister } from '@leadership/core/internal/lease';
import { ageOf, inodeOf } from '../disk/directory-life.ts';
import { readText } from '../disk/read-text.ts';
import type { Watched, Watches } from '../disk/watches.ts';
import { type Found, findRegister } from './find-register.ts';
import { type VersionName, versionFile, versionName, versionPath } from './layout.ts';
import { namesIn } from './locate.ts';
import { type Place, type Standing, type Version, versionAfter } from './version.ts';

/** The dependencies of a register. */
export interface RegisterParts {
  readonly clock: Clock;
  /** Creates a missing register. Resolves with `false` if this member creates nothing. */
  readonly make: (directory: string) => Promise<boolean>;
  readonly watches: Watches;
  /** Called when the register should be read. */
  readonly changed: () => void;
  /** Called when the register was replaced, because other registers may have been replaced too. */
  readonly recheck: () => void;
}

/** How much of the known state must be read again. */
type Doubt = 'none' | 'where it stands' | 'everything';

/** The number of names of foreign files that are remembered, so that each is counted once. */
const foreignMax = 256;

/**
 * File times are coarser than the clock, so a file may seem to be written up to this much in the
 * future. Milliseconds.
 */
const clockStepMs = 1000;

const nothing: readonly LedgerEvent[] = [];

export class Register {
  readonly place: Place;
  readonly directory: string;
  readonly #parts: RegisterParts;
  readonly #watched: Watched;
  readonly #foreign = new Set<string>();
  #version: Standing | undefined;
  /**
   * The inode of the watched directory, from when it is first seen, before any file in it is read.
   */
  #watchedInode = '';
  /** The highest version that was reported to exist. */
  #highest = 0;
  /** The version that this member is writing. */
  #writing = 0;
  #doubt: Doubt = 'none';
  /**
   * Whether the current version was written here, but its writer stopped waiting before the outcome
   * was known.
   */
  #isUntold = false;
  /** Whether the register was replaced or went back, and the restart has not been delivered yet. */
  #isElsewhere = false;

  constructor(place: Place, directory: string, parts: RegisterParts) {
    this.place = place;
    this.directory = directory;
    this.#parts = parts;
    this.#watched = parts.watches(directory, (name) => this.#hear(name));
  }

  /**
   * The current version as far as the engine knows it: `undefined` before the first read, and while
   * a restart is on its way to the engine. An empty register looks the same in each life, and a
   * wait for it to stay empty is valid for one life only (L5).
   */
  get reported(): Standing | undefined {
    return this.#isElsewhere ? undefined : this.#version;
  }

  /** Returns whether the file of a version still has the same text, in the same directory. */
  async stands(version: Standing): Promise<boolean> {
    if ((await readText(versionPath(this.directory, version))) !== version.text) return false;
    return (await inodeOf(this.directory)) === version.inode;
  }

  /** Call when the restart was delivered. */
  restarted(): void {
    this.#isElsewhere = false;
  }

  /** Whether the register should be read. */
  isChanging(): boolean {
    return (
      this.#isUntold ||
      this.#doubt !== 'none' ||
      this.#highest > Math.max(this.#version?.number ?? 0, this.#writing)
    );
  }

  /** Ignores the given version until `work` has settled, because this member is writing it. */
  async writing<T>(number: number, work: Promise<T>): Promise<T> {
    this.#writing = number;
    try {
      return await work;
    } finally {
      this.#writing = 0;
      this.#stir();
    }
  }

  /** Moves on to a version that is known to be current, because it was read or written here. */
  adopt(version: Standing): void {
    const { number, mark, inode } = this.#version ?? version;
    if (version.mark === mark && version.inode === inode && version.number >= number)
      this.#version = version;
  }

  /**
   * Makes the next read report the current version again, because its writer stopped waiting for
   * the outcome (L4).
   */
  repeat(): void {
    this.#isUntold = true;
    this.#parts.changed();
  }

  /** Records that a version of that number exists. The next read reads up to it. */
  exists(number: number): void {
    if (number <= this.#highest) return;
    this.#highest = number;
    this.#stir();
  }

  /** Makes the next read find the current version again. */
  doubt(): void {
    if (this.#doubt === 'none') this.#doubt = 'where it stands';
    this.#parts.changed();
  }

  /** Makes the next read discard everything and read from the start (L12). */
  forget(): void {
    this.#doubt = 'everything';
    this.#parts.changed();
  }

  /** Reads the register from its start. Returns the current record, if there is one. */
  async open(): Promise<readonly LedgerEvent[]> {
    this.#doubt = 'none';
    this.#isElsewhere = false;
    const found = await this.#find();
    // For an observer, a register that is missing reads like an empty one.
    if (found === undefined) return nothing;
    const { version, updates } = found;
    const reported = [...updates, ...this.#report(version)];
    if (!(await this.#isLeft(version))) return reported;
    const { partition } = this.place;
    const end = { kind: 'end', partitions: [partition] } as const;
    return [end, { kind: 'restarted', partition }, ...reported, end];
  }

  /**
   * Returns whether no member has written here for longer than any member can believe that it
   * leads. A store that was restored, such as the old target of a link, looks like that too. The
   * leader of the store that it replaced may still believe that it leads, so a new member waits as
   * after a restart (decision 0031). File times can only make it wait longer.
   */
  async #isLeft(version: Version): Promise<boolean> {
    const { partition, thresholdMsMax } = this.place;
    if (partition === pinRegister || version.record === null) return false;
    const ageMs = await ageOf(versionPath(this.directory, version));
    return ageMs === undefined || ageMs < -clockStepMs || ageMs > thresholdMsMax;
  }

  /** Returns the news since the last read. */
  async look(): Promise<readonly LedgerEvent[]> {
    if (this.#isUntold) return this.#reportAgain();
    const doubt = this.#doubt;
    this.#doubt = 'none';
    return doubt === 'none' ? this.#read() : this.#askWhere(doubt === 'everything');
  }

  /** Checks for changes that no watch reported. */
  async poll(): Promise<void> {
    const before = this.#version;
    const names = await namesIn(this.directory);
    if (names !== undefined) this.#watched.retry();
    const inode = await inodeOf(this.directory);
    if (this.#version !== before) return;
    // A copy has the same names. Its inode differs.
    if (inode !== undefined && inode === before?.inode && names?.includes(versionFile(before)))
      this.exists(lastInRow(names, before));
    else if (inode !== undefined || before !== undefined) this.doubt();
  }

  close(): void {
    this.#watched[Symbol.dispose]();
  }

  #stir(): void {
    if (this.isChanging()) this.#parts.changed();
  }

  #hear(name: string | null): void {
    const version = name === null ? undefined : versionName(name);
    if (version !== undefined && version.mark === this.#version?.mark) this.exists(version.number);
    else this.doubt();
  }

  /** Reads one version after the other, up to the highest that was reported. */
  async #read(): Promise<readonly LedgerEvent[]> {
    const updates: LedgerEvent[] = [];
    for (
      let before = this.#version;
      before !== undefined && this.#highest > before.number;
      before = this.#version
    ) {
      const text = await readText(
        versionPath(this.directory, { number: before.number + 1, mark: before.mark }),
      );
      const receivedAt = this.#parts.clock.now();
      const version = await this.#following(before, text);
      if (this.#version !== before) continue;
      if (version === undefined) return [...updates, ...(await this.#askWhere(false))];
      this.adopt(version);
      updates.push(...this.#report(version, receivedAt));
    }
    return updates;
  }

  /**
   * Returns the version in `text` if it follows `before`; `undefined` if the register was replaced.
   */
  async #following(before: Standing, text: string | undefined): Promise<Standing | undefined> {
    if (text === undefined || !(await this.stands(before))) return undefined;
    return { ...versionAfter(this.place, before, text), inode: before.inode };
  }

  /**
   * Finds the current version. If it belongs to another life, or is not above the known one,
   * reports a restart (L11).
   */
  async #askWhere(forget: boolean): Promise<readonly LedgerEvent[]> {
    const known = this.#version;
    const found = await this.#find();
    if (found === undefined) return this.#gone(known !== undefined || forget);
    const { version, updates } = found;
    const isReplaced = version.inode !== known?.inode || version.mark !== known.mark;
    if (isReplaced) this.#parts.recheck();
    if (forget || isReplaced || isBehind(version, known)) {
      const { partition } = this.place;
      this.#isElsewhere = true;
      return [
        { kind: 'restarted', partition },
        ...updates,
        ...this.#report(version),
        { kind: 'end', partitions: [partition] },
      ];
    }
    return version.number === known?.number ? updates : [...updates, ...this.#report(version)];
  }

  /** Returns the news of an observer that finds no register: an empty one, if that `isNew`. */
  #gone(isNew: boolean): readonly LedgerEvent[] {
    if (!isNew) return nothing;
    const { partition } = this.place;
    this.#version = undefined;
    this.#parts.recheck();
    this.#isElsewhere = true;
    return [
      { kind: 'restarted', partition },
      { kind: 'end', partitions: [partition] },
    ];
  }

  /**
   * Finds the register, watches its directory and adopts the current version. Starts over if this
   * member wrote one meanwhile. Returns `undefined` if it is missing, and this member creates none.
   */
  async #find(): Promise<
    { readonly version: Standing; readonly updates: readonly LedgerEvent[] } | undefined
  > {
    for (;;) {
      const before = this.#version;
      const watched = this.#watchedInode;
      this.#highest = 0;
      const { make } = this.#parts;
      const found = await findRegister(this.place, this.directory, {
        make,
        entered: (entered) => this.#enter(entered),
      });
      if (this.#version !== before) continue;
      if (found === undefined) return undefined;
      this.#version = found.version;
      // The register was recreated and its directory has the old inode: renew the watch, and read
      // once more.
      const isReused =
        before !== undefined &&
        before.mark !== found.version.mark &&
        watched === this.#watchedInode;
      if (!isReused) return { version: found.version, updates: this.#countForeign(found) };
      this.#watched.renew();
    }
  }

  #reportAgain(): readonly LedgerEvent[] {
    this.#isUntold = false;
    // Other reasons to read are handled in the next read.
    this.#parts.changed();
    return this.#version === undefined ? nothing : this.#report(this.#version);
  }

  #enter(inode: string): void {
    if (inode === this.#watchedInode) return;
    this.#watchedInode = inode;
    this.#watched.renew();
  }

  /**
   * Returns the news of a version. Throws if it is an unreadable pin, because a pin is never
   * replaced and waiting cannot help.
   */
  #report(
    { record, strange }: Version,
    receivedAt: Instant = this.#parts.clock.now(),
  ): readonly LedgerEvent[] {
    if (record === null) return nothing;
    if (!strange) return [{ kind: 'record', record, receivedAt }];
    if (this.place.partition !== pinRegister)
      return [
        { kind: 'ignored', what: 'unreadable-version' },
        { kind: 'record', record, receivedAt },
      ];
    const advice =
      'the pin of this group is unreadable: stop all members, remove the directory, and start the members again';
    throw new LeadershipError('misconfigured-backend', `${this.directory}: ${advice}`);
  }

  #countForeign({ foreign }: Found): readonly LedgerEvent[] {
    const fresh = foreign
      .filter((name) => !this.#foreign.has(name))
      .slice(0, foreignMax - this.#foreign.size);
    for (const name of fresh) this.#foreign.add(name);
    return fresh.map(() => ({ kind: 'ignored', what: 'foreign-file' }));
  }
}

function isBehind(version: Version, known: Version | undefined): boolean {
  if (known === undefined || version.number > known.number) return false;
  return version.number < known.number || version.text !== known.text;
}

/**
 * Returns the last version that follows this one without a gap. Versions beyond a gap do not belong
 * to the register.
 */
function lastInRow(names: readonly string[], { number, mark }: VersionName): number {
  let last = number;
  while (names.includes(versionFile({ number: last + 1, mark }))) last += 1;
  return last;
}
