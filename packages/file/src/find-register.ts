import { LeadershipError } from '@leadership/core';
import { type VersionName, versionPath } from './layout.ts';
import { inodeOf } from './life-of.ts';
import { type Listing, list, locate } from './locate.ts';
import { readText } from './read-text.ts';
import { type Place, recordAt, type Standing, strangeVersion, type Version } from './version.ts';

/** A register as it was found. */
export interface Found {
  readonly version: Standing;
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
 * @throws LeadershipError `misconfigured-backend` where the directory holds something, but no register; `unreachable` where
 *   it is another at every look
 */
export async function findRegister(place: Place, directory: string, { make, entered }: Finding): Promise<Found> {
  for (let tries = 1; tries <= triesMax; tries += 1) {
    const inode = await inodeOf(directory);
    if (inode !== undefined) entered(inode);
    const listing = (await list(directory)) ?? nothing;
    const version = await current(place, directory, inode, listing);
    // Another directory may have got that name meanwhile: what was found may be of either.
    const isSame = (await inodeOf(directory)) === inode;
    if (isSame && version !== undefined && inode !== undefined) return { version: { ...version, inode }, foreign: listing.foreign };
    // What lies there already would be in the way.
    if (isSame && isEmpty(listing)) await make(directory);
  }
  throw new LeadershipError('unreachable', `${directory}: it changes faster than it can be read: somebody removes it while it is in use`);
}

async function current(place: Place, directory: string, inode: string | undefined, listing: Listing): Promise<Version | undefined> {
  return (await locate(place, directory, listing.lives)) ?? (await lone(place, directory, inode, listing));
}

function isEmpty({ lives, foreign }: Listing): boolean {
  return lives.size === 0 && foreign.length === 0;
}

/**
 * Where somebody removed versions by hand and left none beside another, the highest is what there is. It counts as a
 * stranger's, whatever it says: there may have been a newer one, and its holder may believe still. `undefined` where that was
 * only how it looked while the directory was replaced.
 */
async function lone(place: Place, directory: string, inode: string | undefined, listing: Listing): Promise<Version | undefined> {
  if (isEmpty(listing)) return undefined;
  const name = onlyHighest(listing);
  const text = name && (await readText(versionPath(directory, name)));
  if (!isSame((await list(directory)) ?? nothing, listing) || (await inodeOf(directory)) !== inode) return undefined;
  if (name !== undefined && text !== undefined) return strangeVersion(place, name, text, recordAt(place, name.number, text)?.token ?? 0n);
  const advice = 'it holds files, but no register of this group: move it away, and it is made anew';
  throw new LeadershipError('misconfigured-backend', `${directory}: ${advice}`);
}

function onlyHighest({ lives }: Listing): VersionName | undefined {
  const [name, ...others] = [...lives].map(([mark, numbers]) => ({ number: numbers.at(-1) ?? 0, mark }));
  return others.length === 0 ? name : undefined;
}

function isSame(a: Listing, b: Listing): boolean {
  const text = ({ lives, foreign }: Listing): string => JSON.stringify([[...lives].sort(), [...foreign].sort()]);
  return text(a) === text(b);
}
