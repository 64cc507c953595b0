// Where a register stands, for one who has not followed it. The last eight versions are kept, so the current one has its
// predecessor beside it. A number without one is litter: a paused member linked what had been pruned, or what belongs to a
// register that is no more.
import { LeadershipError } from '@leadership/core';
import { disk } from './disk.ts';
import { missing, unless } from './errors.ts';
import { type VersionName, versionName, versionPath } from './layout.ts';
import { readText } from './read-text.ts';
import { genesisVersion, type Place, recordAt, strangerId, strangeVersion, type Version } from './version.ts';

/** What a register's directory holds. */
export interface Listing {
  /** The numbers of its versions, ascending, by the mark of the life they belong to. */
  readonly lives: ReadonlyMap<string, readonly number[]>;
  /** Files that are none of ours. */
  readonly foreign: readonly string[];
}

/** The names of all that is in the directory; `undefined` where there is none. */
export function namesIn(directory: string): Promise<readonly string[] | undefined> {
  return unless(missing, disk.readdir(directory));
}

/** What is in the directory; `undefined` where there is none. */
export async function list(directory: string): Promise<Listing | undefined> {
  const names = await namesIn(directory);
  if (names === undefined) return undefined;
  const lives = new Map<string, number[]>();
  const foreign: string[] = [];
  for (const name of names) {
    const version = versionName(name);
    const life = version && lives.get(version.mark);
    if (version === undefined) foreign.push(name);
    else if (life === undefined) lives.set(version.mark, [version.number]);
    else life.push(version.number);
  }
  for (const numbers of lives.values()) numbers.sort((a, b) => a - b);
  return { lives, foreign };
}

/**
 * The highest version that joins the one before it; `undefined` where none does (any more: list again).
 * @throws LeadershipError `misconfigured-backend` where two lives have one: nobody could tell which of them goes on
 */
export async function locate(place: Place, directory: string, lives: Listing['lives']): Promise<Version | undefined> {
  let found: Version | undefined;
  for (const [mark, numbers] of lives) {
    const version = await highestJoined(place, directory, mark, numbers);
    if (version !== undefined && found !== undefined) throw twoRegisters(directory);
    found ??= version;
  }
  return found;
}

function twoRegisters(directory: string): LeadershipError {
  const advice = 'it holds two registers at once, which only copying does: move it away, and it is made anew';
  return new LeadershipError('misconfigured-backend', `${directory}: ${advice}`);
}

/** The highest version of one life that joins the one before it; `undefined` where none does. */
export async function highestJoined(
  place: Place,
  directory: string,
  mark: string,
  numbers: readonly number[],
): Promise<Version | undefined> {
  for (const number of numbers.toReversed()) {
    const version = await joined(place, directory, { number, mark });
    if (version !== undefined) return version;
  }
  return undefined;
}

async function joined(place: Place, directory: string, name: VersionName): Promise<Version | undefined> {
  const { number, mark } = name;
  const text = await readText(versionPath(directory, name));
  if (text === undefined) return undefined;
  if (number === 0) return genesisVersion(mark, text);
  const before = { number: number - 1, mark };
  const below = await readText(versionPath(directory, before));
  if (below === undefined) return undefined;
  const record = recordAt(place, number, text);
  if (record === undefined) return strangeVersion(place, name, text, await tokenBelow(place, directory, name));
  return joins(record.after, place, before, below) ? { ...name, text, record, strange: false } : undefined;
}

function joins(after: string | null, place: Place, before: VersionName, text: string): boolean {
  const id = before.number === 0 ? null : recordAt(place, before.number, text)?.id;
  return after === id || (after === strangerId(before) && before.number > 0);
}

/** The token of the nearest readable version below: tokens grow along the chain, so it is the greatest (T1). */
async function tokenBelow(place: Place, directory: string, { number, mark }: VersionName): Promise<bigint> {
  for (let lower = number - 1; lower > 0; lower -= 1) {
    const text = await readText(versionPath(directory, { number: lower, mark }));
    if (text === undefined) return 0n;
    const record = recordAt(place, lower, text);
    if (record !== undefined) return record.token;
  }
  return 0n;
}
