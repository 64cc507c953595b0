// Where a register stands, for one who has not followed it. The last eight versions are kept, so the current one has its
// predecessor beside it. A number without one is litter: a paused member linked it in a store that was made anew meanwhile.
import { readdir } from 'node:fs/promises';
import { missing, unless } from './errors.ts';
import { versionNumber, versionPath } from './layout.ts';
import { readText } from './read-text.ts';
import { genesisVersion, type Place, recordAt, strangerId, strangeVersion, type Version } from './version.ts';

/** What a register's directory holds. */
export interface Listing {
  /** The versions, ascending. */
  readonly numbers: readonly number[];
  /** Files that are none of ours. */
  readonly foreign: readonly string[];
}

/** What is in the directory; `undefined` where there is none. */
export async function list(directory: string): Promise<Listing | undefined> {
  const names = await unless(missing, readdir(directory));
  if (names === undefined) return undefined;
  const numbers: number[] = [];
  const foreign: string[] = [];
  for (const name of names) {
    const number = versionNumber(name);
    if (number === undefined) foreign.push(name);
    else numbers.push(number);
  }
  return { numbers: numbers.sort((a, b) => a - b), foreign };
}

/** The highest version of `numbers` that joins the one before it; `undefined` where none does (any more: list again). */
export async function locate(place: Place, directory: string, numbers: readonly number[]): Promise<Version | undefined> {
  for (const number of numbers.toReversed()) {
    const version = await joined(place, directory, number);
    if (version !== undefined) return version;
  }
  return undefined;
}

async function joined(place: Place, directory: string, number: number): Promise<Version | undefined> {
  const text = await readText(versionPath(directory, number));
  if (text === undefined) return undefined;
  if (number === 0) return genesisVersion(text);
  const below = await readText(versionPath(directory, number - 1));
  if (below === undefined) return undefined;
  const record = recordAt(place, number, text);
  if (record === undefined) return strangeVersion(place, number, text, await tokenBelow(place, directory, number));
  return joins(record.after, place, number - 1, below) ? { number, text, record, strange: false } : undefined;
}

function joins(after: string | null, place: Place, number: number, text: string): boolean {
  const id = number === 0 ? null : recordAt(place, number, text)?.id;
  return after === id || (after === strangerId(number) && number > 0);
}

/** The token of the nearest readable version below: tokens grow along the chain, so it is the greatest (T1). */
async function tokenBelow(place: Place, directory: string, number: number): Promise<bigint> {
  for (let lower = number - 1; lower > 0; lower -= 1) {
    const text = await readText(versionPath(directory, lower));
    if (text === undefined) return 0n;
    const record = recordAt(place, lower, text);
    if (record !== undefined) return record.token;
  }
  return 0n;
}
