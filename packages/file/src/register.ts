// One register as one member follows it: where it stands, and whether there is reason to look again.
//
// The invariant everything rests on: version N + 1 is current only if version N is still there *afterwards*, with the very
// text that was read. Versions are linked in order and pruned in order, so a number that was pruned can be linked again, by
// a member that was paused; but then its predecessor was pruned before, and what may stand in its place reads otherwise.
// That holds for version 1 too: the genesis is pruned before it, and is made once in a register's life.
import { LeadershipError } from '@leadership/core';
import type { Clock, Instant } from '@leadership/core/backend';
import { type LedgerNews, pinRegister } from '@leadership/core/ledger';
import { type Found, findRegister, lifeOf } from './find-register.ts';
import { versionNumber, versionPath } from './layout.ts';
import { list } from './locate.ts';
import { readText } from './read-text.ts';
import type { Scratch } from './scratch.ts';
import { type Place, type Version, versionAfter } from './version.ts';
import type { Watched, Watches } from './watches.ts';

/** What a register needs of its ledger. */
export interface RegisterParts {
  readonly clock: Clock;
  readonly scratch: Scratch;
  readonly watches: Watches;
  /** There is reason to look. */
  readonly stirred: () => void;
}

/** How much of what is known is to be looked at again. */
type Doubt = 'none' | 'where it stands' | 'everything';

/** So many names of foreign files are remembered, to count each once. */
const foreignMax = 256;

const nothing: readonly LedgerNews[] = [];

export class Register {
  readonly place: Place;
  readonly directory: string;
  readonly #parts: RegisterParts;
  readonly #watched: Watched;
  readonly #foreign = new Set<string>();
  #version: Version | undefined;
  /** Which directory of that name it was: a new one is a store made anew. */
  #life = '';
  /** The highest version that was heard of. */
  #heardOf = 0;
  #doubt: Doubt = 'none';
  /** Whether somebody who wrote the version it stands at did not wait to hear that it did. */
  #isUntold = false;

  constructor(place: Place, directory: string, parts: RegisterParts) {
    this.place = place;
    this.directory = directory;
    this.#parts = parts;
    this.#watched = parts.watches(directory, (name) => this.#hear(name));
  }

  /** Where it stands, as far as this member knows; `undefined` before it was read. */
  get version(): Version | undefined {
    return this.#version;
  }

  /** Whether the file of that version is still the one that was read. */
  async stands({ number, text }: Version): Promise<boolean> {
    return (await readText(versionPath(this.directory, number))) === text;
  }

  /** Moves on to a version that is current: one that was read, or written here. */
  adopt(version: Version): void {
    if (this.#version === undefined || version.number > this.#version.number) this.#version = version;
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
    this.#parts.stirred();
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
    const { version, news } = await this.#find();
    return [...news, ...this.#tell(version)];
  }

  /** What came since, as far as there is reason to look. */
  look(): Promise<readonly LedgerNews[]> | readonly LedgerNews[] {
    if (this.#isUntold) return this.#tellAgain();
    const doubt = this.#doubt;
    this.#doubt = 'none';
    if (doubt !== 'none') return this.#askWhere(doubt === 'everything');
    return this.#heardOf > (this.#version?.number ?? 0) ? this.#read() : nothing;
  }

  /** Looks whether there is reason to look: for what no watch told. */
  async poll(): Promise<void> {
    const before = this.#version;
    const listing = await list(this.directory);
    if (listing !== undefined) this.#watched.retry();
    if (this.#version !== before || before === undefined) return;
    if (listing?.numbers.includes(before.number)) this.heardOf(listing.numbers.at(-1) ?? 0);
    else this.doubt();
  }

  close(): void {
    this.#watched[Symbol.dispose]();
  }

  #hear(name: string | null): void {
    const number = name === null ? undefined : versionNumber(name);
    if (number === undefined) this.doubt();
    else this.heardOf(number);
  }

  /** Reads one version after the other, up to the highest that was heard of. */
  async #read(): Promise<readonly LedgerNews[]> {
    const news: LedgerNews[] = [];
    for (let before = this.#version; before !== undefined && this.#heardOf > before.number; before = this.#version) {
      const text = await readText(versionPath(this.directory, before.number + 1));
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
  async #following(before: Version, text: string | undefined): Promise<Version | undefined> {
    if (text === undefined || !(await this.stands(before))) return undefined;
    const version = versionAfter(this.place, before, text);
    return version.strange && (await lifeOf(this.directory)) !== this.#life ? undefined : version;
  }

  /** Asks where it stands; what it says that is not higher than what was known, or is of another life, is a restart (L11). */
  async #askWhere(forget: boolean): Promise<readonly LedgerNews[]> {
    const life = this.#life;
    const known = this.#version;
    const { version, news } = await this.#find();
    if (forget || life !== this.#life || isBehind(version, known)) {
      const { partition } = this.place;
      return [{ kind: 'restarted', partition }, ...news, ...this.#tell(version), { kind: 'end', partitions: [partition] }];
    }
    return version.number === known?.number ? news : [...news, ...this.#tell(version)];
  }

  /** Finds the register, watches what was found, and stands where it stands; a version written here meanwhile counts. */
  async #find(): Promise<{ readonly version: Version; readonly news: readonly LedgerNews[] }> {
    for (;;) {
      const before = this.#version;
      this.#heardOf = 0;
      const found = await findRegister(this.place, this.directory, this.#parts.scratch, (life) => this.#enter(life));
      if (this.#version !== before) continue;
      this.#version = found.version;
      return { version: found.version, news: this.#countForeign(found) };
    }
  }

  #tellAgain(): readonly LedgerNews[] {
    this.#isUntold = false;
    // What else there is reason for comes right after.
    this.#parts.stirred();
    return this.#version === undefined ? nothing : this.#tell(this.#version);
  }

  #enter(life: string): void {
    if (life === this.#life) return;
    this.#life = life;
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
