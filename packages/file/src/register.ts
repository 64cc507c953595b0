// One register as one member follows it: where it stands, and whether there is reason to look again.
//
// The invariant everything rests on: version N + 1 is current only if version N is still there *afterwards*, with the very
// text that was read. Versions are linked in order and pruned in order, so a number that was pruned can be linked again, by
// a member that was paused; but then its predecessor was pruned before, and what may stand in its place reads otherwise.
// That holds for version 1 too: the genesis is pruned before it, and is made once in a register's life. Names of different
// lives differ by their mark.
import { LeadershipError } from '@leadership/core';
import type { Clock, Instant } from '@leadership/core/backend';
import { type LedgerNews, pinRegister } from '@leadership/core/ledger';
import { type Found, findRegister } from './find-register.ts';
import { type VersionName, versionFile, versionName, versionPath } from './layout.ts';
import { ageOf, inodeOf } from './life-of.ts';
import { namesIn } from './locate.ts';
import { readText } from './read-text.ts';
import { type Place, type Standing, type Version, versionAfter } from './version.ts';
import type { Watched, Watches } from './watches.ts';

/** What a register needs of its ledger. */
export interface RegisterParts {
  readonly clock: Clock;
  /** Makes a register where it is missing. */
  readonly make: (directory: string) => Promise<void>;
  readonly watches: Watches;
  /** There is reason to look. */
  readonly stirred: () => void;
  /** It is another register than it was: whatever else lies in the store may be another's too. */
  readonly anew: () => void;
}

/** How much of what is known is to be looked at again. */
type Doubt = 'none' | 'where it stands' | 'everything';

/** So many names of foreign files are remembered, to count each once. */
const foreignMax = 256;

/** Times of files are coarser than the clock: so far ahead of it they are not from the future. Milliseconds. */
const clockStepMs = 1000;

const nothing: readonly LedgerNews[] = [];

export class Register {
  readonly place: Place;
  readonly directory: string;
  readonly #parts: RegisterParts;
  readonly #watched: Watched;
  readonly #foreign = new Set<string>();
  #version: Standing | undefined;
  /** The directory that is watched: from the moment that it is seen, before anything in it is read. */
  #watchedInode = '';
  /** The highest version that was heard of. */
  #heardOf = 0;
  /** The version that is being written here. */
  #writing = 0;
  #doubt: Doubt = 'none';
  /** Whether somebody who wrote the version it stands at did not wait to hear that it did. */
  #isUntold = false;
  /** Whether it turned out to stand elsewhere than was told, and nobody has been told yet. */
  #isElsewhere = false;

  constructor(place: Place, directory: string, parts: RegisterParts) {
    this.place = place;
    this.directory = directory;
    this.#parts = parts;
    this.#watched = parts.watches(directory, (name) => this.#hear(name));
  }

  /**
   * Where it stands, as far as the engine can know: nowhere before it was read, nor while a restart is on its way to it.
   * "Nothing in effect" is the same word in every life of a register, and a wait over it holds for one (L5).
   */
  get told(): Standing | undefined {
    return this.#isElsewhere ? undefined : this.#version;
  }

  /** Returns whether the file of that version is still the one that was read, in the directory that it was read in. */
  async stands(version: Standing): Promise<boolean> {
    if ((await readText(versionPath(this.directory, version))) !== version.text) return false;
    return (await inodeOf(this.directory)) === version.inode;
  }

  /** Its restart has been told. */
  restarted(): void {
    this.#isElsewhere = false;
  }

  /** Whether there is reason to look. */
  isStirring(): boolean {
    return this.#isUntold || this.#doubt !== 'none' || this.#heardOf > Math.max(this.#version?.number ?? 0, this.#writing);
  }

  /** Until `work` has settled, that version is no reason to look: it is the one being written here. */
  async writing<T>(number: number, work: Promise<T>): Promise<T> {
    this.#writing = number;
    try {
      return await work;
    } finally {
      this.#writing = 0;
      this.#stir();
    }
  }

  /** Moves on to a version that is current: one that was read, or written here. */
  adopt(version: Standing): void {
    const { number, mark, inode } = this.#version ?? version;
    if (version.mark === mark && version.inode === inode && version.number >= number) this.#version = version;
  }

  /** The next look tells the version it stands at, which was written here: who wrote it gave up before it knew (L4). */
  retell(): void {
    this.#isUntold = true;
    this.#parts.stirred();
  }

  /** There is a version of that number: the next look reads up to it. */
  heardOf(number: number): void {
    if (number <= this.#heardOf) return;
    this.#heardOf = number;
    this.#stir();
  }

  /** The next look asks where it stands. */
  doubt(): void {
    if (this.#doubt === 'none') this.#doubt = 'where it stands';
    this.#parts.stirred();
  }

  /** The next look forgets everything, and reads it from wherever it starts (L12). */
  forget(): void {
    this.#doubt = 'everything';
    this.#parts.stirred();
  }

  /** Reads it from wherever it starts: its current record, if there is one. */
  async open(): Promise<readonly LedgerNews[]> {
    this.#doubt = 'none';
    this.#isElsewhere = false;
    const { version, news } = await this.#find();
    const told = [...news, ...this.#tell(version)];
    if (!(await this.#isLeft(version))) return told;
    const { partition } = this.place;
    const end = { kind: 'end', partitions: [partition] } as const;
    return [end, { kind: 'restarted', partition }, ...told, end];
  }

  /**
   * Returns whether nobody has written here for longer than anyone can believe. A store that was put back, such as the old target
   * of a link, looks like that too, and the leader of the store that it replaced may still believe: a newcomer waits as
   * after a restart (decision 0031). File times only ever make it wait longer.
   */
  async #isLeft(version: Version): Promise<boolean> {
    const { partition, thresholdMsMax } = this.place;
    if (partition === pinRegister || version.record === null) return false;
    const ageMs = await ageOf(versionPath(this.directory, version));
    return ageMs === undefined || ageMs < -clockStepMs || ageMs > thresholdMsMax;
  }

  /** What came since, as far as there is reason to look. */
  async look(): Promise<readonly LedgerNews[]> {
    if (this.#isUntold) return this.#tellAgain();
    const doubt = this.#doubt;
    this.#doubt = 'none';
    return doubt === 'none' ? this.#read() : this.#askWhere(doubt === 'everything');
  }

  /** Looks whether there is reason to look: for what no watch told. */
  async poll(): Promise<void> {
    const before = this.#version;
    const names = await namesIn(this.directory);
    if (names !== undefined) this.#watched.retry();
    const inode = await inodeOf(this.directory);
    if (this.#version !== before || before === undefined) return;
    // A copy has the same names: the directory's identity tells them apart.
    if (inode === before.inode && names?.includes(versionFile(before))) this.heardOf(lastInRow(names, before));
    else this.doubt();
  }

  close(): void {
    this.#watched[Symbol.dispose]();
  }

  #stir(): void {
    if (this.isStirring()) this.#parts.stirred();
  }

  #hear(name: string | null): void {
    const version = name === null ? undefined : versionName(name);
    if (version !== undefined && version.mark === this.#version?.mark) this.heardOf(version.number);
    else this.doubt();
  }

  /** Reads one version after the other, up to the highest that was heard of. */
  async #read(): Promise<readonly LedgerNews[]> {
    const news: LedgerNews[] = [];
    for (let before = this.#version; before !== undefined && this.#heardOf > before.number; before = this.#version) {
      const text = await readText(versionPath(this.directory, { number: before.number + 1, mark: before.mark }));
      const receivedAt = this.#parts.clock.now();
      const version = await this.#following(before, text);
      if (this.#version !== before) continue;
      if (version === undefined) return [...news, ...(await this.#askWhere(false))];
      this.adopt(version);
      news.push(...this.#tell(version, receivedAt));
    }
    return news;
  }

  /** The version that `text` is, where it follows `before`; `undefined` where this is not the register it was. */
  async #following(before: Standing, text: string | undefined): Promise<Standing | undefined> {
    if (text === undefined || !(await this.stands(before))) return undefined;
    return { ...versionAfter(this.place, before, text), inode: before.inode };
  }

  /** Asks where it stands; what it says that is not higher than what was known, or is of another life, is a restart (L11). */
  async #askWhere(forget: boolean): Promise<readonly LedgerNews[]> {
    const known = this.#version;
    const { version, news } = await this.#find();
    const isAnew = version.inode !== known?.inode || version.mark !== known.mark;
    if (isAnew) this.#parts.anew();
    if (forget || isAnew || isBehind(version, known)) {
      const { partition } = this.place;
      this.#isElsewhere = true;
      return [{ kind: 'restarted', partition }, ...news, ...this.#tell(version), { kind: 'end', partitions: [partition] }];
    }
    return version.number === known?.number ? news : [...news, ...this.#tell(version)];
  }

  /** Finds the register, watches what was found, and stands where it stands; a version written here meanwhile counts. */
  async #find(): Promise<{ readonly version: Standing; readonly news: readonly LedgerNews[] }> {
    for (;;) {
      const before = this.#version;
      const watched = this.#watchedInode;
      this.#heardOf = 0;
      const { make } = this.#parts;
      const found = await findRegister(this.place, this.directory, { make, entered: (entered) => this.#enter(entered) });
      if (this.#version !== before) continue;
      this.#version = found.version;
      // Made anew under the inode of the one before: what was watched is no more, and nothing of this one was heard.
      const isReused = before !== undefined && before.mark !== found.version.mark && watched === this.#watchedInode;
      if (!isReused) return { version: found.version, news: this.#countForeign(found) };
      this.#watched.renew();
    }
  }

  #tellAgain(): readonly LedgerNews[] {
    this.#isUntold = false;
    // What else there is reason for comes right after.
    this.#parts.stirred();
    return this.#version === undefined ? nothing : this.#tell(this.#version);
  }

  #enter(inode: string): void {
    if (inode === this.#watchedInode) return;
    this.#watchedInode = inode;
    this.#watched.renew();
  }

  /** What a version says. The group's pin has but one, which nothing ever replaces: unreadable, it is no use waiting. */
  #tell({ record, strange }: Version, receivedAt: Instant = this.#parts.clock.now()): readonly LedgerNews[] {
    if (record === null) return nothing;
    if (!strange) return [{ kind: 'record', record, receivedAt }];
    if (this.place.partition !== pinRegister)
      return [
        { kind: 'ignored', what: 'unreadable-version' },
        { kind: 'record', record, receivedAt },
      ];
    const advice = 'the pin of the group in it is unreadable: stop all members, remove the directory, and start them again';
    throw new LeadershipError('misconfigured-backend', `${this.directory}: ${advice}`);
  }

  #countForeign({ foreign }: Found): readonly LedgerNews[] {
    const fresh = foreign.filter((name) => !this.#foreign.has(name)).slice(0, foreignMax - this.#foreign.size);
    for (const name of fresh) this.#foreign.add(name);
    return fresh.map(() => ({ kind: 'ignored', what: 'foreign-file' }));
  }
}

function isBehind(version: Version, known: Version | undefined): boolean {
  if (known === undefined || version.number > known.number) return false;
  return version.number < known.number || version.text !== known.text;
}

/** The last of the versions that follow this one without a gap: what lies beyond one is none of the register's. */
function lastInRow(names: readonly string[], { number, mark }: VersionName): number {
  let last = number;
  while (names.includes(versionFile({ number: last + 1, mark }))) last += 1;
  return last;
}
