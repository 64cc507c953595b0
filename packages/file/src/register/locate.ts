// Finds the current version of a register (the lease of one partition, as files) for a reader that
// has not followed it. The last eight versions are kept, so the current version has its predecessor
// beside it. A version without one is litter: a paused member linked a number that had been pruned,
// or that belongs to a deleted register.
import { LeadershipError } from '@leadership/core';
import { disk } from '../disk/disk.ts';
import { readText } from '../disk/read-text.ts';
import { missing, unless } from '../errors.ts';
import { type VersionName, versionName, versionPath } from './layout.ts';
import {
  genesisVersion,
  type Place,
  recordAt,
  strangerId,
  strangeVersion,
  type Version,
} from './version.ts';

/** The content of a register's directory. */
export interface Listing {
  /** The version numbers in ascending order, by the mark of their life. */
  readonly lives: ReadonlyMap<string, readonly number[]>;
  /** Files that no member wrote. */
  readonly foreign: readonly string[];
}

/** Returns the names in a directory; `undefined` if it does not exist. */
export function namesIn(directory: string): Promise<readonly string[] | undefined> {
  return unless(missing, disk.readdir(directory));
}

/** Lists a directory; `undefined` if it does not exist. */
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
 * Returns the highest version that has its predecessor; `undefined` if there is none, and the
 * caller must list again.
 * @throws LeadershipError `misconfigured-backend` if two lives have such a version, because no
 *   reader could decide between them
 */
export async function locate(
  place: Place,
  directory: string,
  lives: Listing['lives'],
): Promise<Version | undefined> {
  let found: Version | undefined;
  for (const [mark, numbers] of lives) {
    const version = await highestJoined(place, directory, mark, numbers);
    if (version !== undefined && found !== undefined) throw twoRegisters(directory);
    found ??= version;
  }
  return found;
}

function twoRegisters(directory: string): LeadershipError {
  const advice =
    'it holds two registers, which only copying can cause: move it away, and a member will create a new one';
  return new LeadershipError('misconfigured-backend', `${directory}: ${advice}`);
}

/**
 * Returns the highest version of one life that has its predecessor; `undefined` if there is none.
 */
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

async function joined(
  place: Place,
  directory: string,
  name: VersionName,
): Promise<Version | undefined> {
  const { number, mark } = name;
  const text = await readText(versionPath(directory, name));
  if (text === undefined) return undefined;
  if (number === 0) return genesisVersion(mark, text);
  const before = { number: number - 1, mark };
  const below = await readText(versionPath(directory, before));
  if (below === undefined) return undefined;
  const record = recordAt(place, number, text);
  if (record === undefined)
    return strangeVersion(place, name, text, await tokenBelow(place, directory, name));
  return joins(record.after, place, before, below)
    ? { ...name, text, record, strange: false }
    : undefined;
}

function joins(after: string | null, place: Place, before: VersionName, text: string): boolean {
  const id = before.number === 0 ? null : recordAt(place, before.number, text)?.id;
  return after === id || (after === strangerId(before) && before.number > 0);
}

/**
 * Returns the token of the nearest readable version below. Tokens grow along the chain, so it is
 * the greatest (T1).
 */
async function tokenBelow(
  place: Place,
  directory: string,
  { number, mark }: VersionName,
): Promise<bigint> {
  for (let lower = number - 1; lower > 0; lower -= 1) {
    const text = await readText(versionPath(directory, { number: lower, mark }));
    if (text === undefined) return 0n;
    const record = recordAt(place, lower, text);
    if (record !== undefined) return record.token;
  }
  return 0n;
}
