import { LeadershipError } from '@leadership/core';
import { type VersionName, versionPath } from './layout.ts';
import { inodeOf } from './life-of.ts';
import { type Listing, list, locate } from './locate.ts';
import { readText } from './read-text.ts';
import { type Place, recordAt, strangeVersion, type Version } from './version.ts';

/** A register as it was found. */
export interface Found {
  readonly version: Version;
  /** Files in it that are none of ours. */
  readonly foreign: readonly string[];
}

/** What finding a register needs. */
export interface Finding {
  /** Makes it where it is missing. */
  readonly make: (directory: string) => Promise<void>;
  /** Called with the directory's inode before it is listed: what is watched from there on misses nothing. */
  readonly entered: (inode: string) => void;
}

/** How many times a register that changes under the reader is looked for. */
const triesMax = 5;

const nothing: Listing = { lives: new Map(), foreign: [] };

/**
 * Finds where a register stands, and makes it first where it is missing. A register made just now promises nothing about
 * who believes what: another may have been deleted a moment ago (L5).
 * @throws LeadershipError `misconfigured-backend` where the directory holds something, but no register
 */
export async function findRegister(place: Place, directory: string, { make, entered }: Finding): Promise<Found> {
  for (let tries = 1; tries < triesMax; tries += 1) {
    const inode = await inodeOf(directory);
    if (inode !== undefined) entered(inode);
    const { lives, foreign } = (await list(directory)) ?? nothing;
    const version = await locate(place, directory, lives);
    if (version !== undefined) return { version, foreign };
    // What lies there already would be in the way.
    if (lives.size === 0 && foreign.length === 0) await make(directory);
  }
  return findLone(place, directory);
}

/**
 * Where somebody removed versions by hand and left none beside another, the highest is what there is. It counts as a
 * stranger's, whatever it says: there may have been a newer one, and its holder may believe still.
 */
async function findLone(place: Place, directory: string): Promise<Found> {
  const { lives, foreign } = (await list(directory)) ?? nothing;
  const name = lives.size === 1 ? [...lives].map(([mark, numbers]) => ({ number: numbers.at(-1) ?? 0, mark }))[0] : undefined;
  const text = name && (await readText(versionPath(directory, name)));
  if (name !== undefined && text !== undefined) return { version: loneVersion(place, name, text), foreign };
  const advice = 'it holds files, but no register of this group: move it away, and it is made anew';
  throw new LeadershipError('misconfigured-backend', `${directory}: ${advice}`);
}

function loneVersion(place: Place, name: VersionName, text: string): Version {
  return strangeVersion(place, name, text, recordAt(place, name.number, text)?.token ?? 0n);
}
