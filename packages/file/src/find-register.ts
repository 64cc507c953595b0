import { stat } from 'node:fs/promises';
import { LeadershipError } from '@leadership/core';
import { missing, unless } from './errors.ts';
import { makeRegister } from './genesis.ts';
import { versionPath } from './layout.ts';
import { type Listing, list, locate } from './locate.ts';
import { readText } from './read-text.ts';
import type { Scratch } from './scratch.ts';
import { type Place, recordAt, strangeVersion, type Version } from './version.ts';

/** A register as it was found. */
export interface Found {
  readonly version: Version;
  /** Tells the directory from another one that has its name later. */
  readonly life: string;
  /** Files in it that are none of ours. */
  readonly foreign: readonly string[];
}

/** How many times a register that changes under the reader is looked for. */
const triesMax = 5;

const nothing: Listing = { numbers: [], foreign: [] };

/**
 * Finds where a register stands, and makes it first where it is missing. A register made just now promises nothing about
 * who believes what: another may have been deleted a moment ago (L5).
 * @param entered - called with each life before it is listed: what is watched from there on misses nothing
 * @throws LeadershipError `misconfigured-backend` where the directory holds something, but no register
 */
export async function findRegister(place: Place, directory: string, scratch: Scratch, entered: (life: string) => void): Promise<Found> {
  for (let tries = 1; tries < triesMax; tries += 1) {
    const life = (await lifeOf(directory)) ?? '';
    if (life !== '') entered(life);
    const { numbers, foreign } = (await list(directory)) ?? nothing;
    const version = await locate(place, directory, numbers);
    if (version !== undefined) return { version, life, foreign };
    if (numbers.length === 0) await makeRegister(directory, scratch);
  }
  return findLone(place, directory);
}

/** What tells a directory from its successor: numbers alone are reused at once by some file systems. */
export async function lifeOf(directory: string): Promise<string | undefined> {
  const found = await unless(missing, stat(directory));
  return found && `${found.dev}/${found.ino}/${found.birthtimeMs}`;
}

/** Where somebody removed versions by hand and left none beside another, the highest is what there is. */
async function findLone(place: Place, directory: string): Promise<Found> {
  const life = (await lifeOf(directory)) ?? '';
  const { numbers, foreign } = (await list(directory)) ?? nothing;
  const number = numbers.at(-1);
  const text = number === undefined ? undefined : await readText(versionPath(directory, number));
  if (number !== undefined && text !== undefined) return { version: loneVersion(place, number, text), life, foreign };
  throw new LeadershipError('misconfigured-backend', `${directory} is no register of this group: move it away, and it is made anew`);
}

function loneVersion(place: Place, number: number, text: string): Version {
  const record = recordAt(place, number, text);
  return record ? { number, text, record, strange: false } : strangeVersion(place, number, text, 0n);
}
