// Finds the current version of a register. A register is the directory that keeps one partition's
// lease; each change is a new file, a version.
import { LeadershipError } from '@leadership/core';
import { inodeOf } from '../disk/directory-life.ts';
import { readText } from '../disk/read-text.ts';
import { type VersionName, versionPath } from './layout.ts';
import { type Listing, list, locate } from './locate.ts';
import { type Place, recordAt, type Standing, strangeVersion, type Version } from './version.ts';

/** The state of a register that was found. */
export interface Found {
  readonly version: Standing;
  /** Foreign files in the register's directory. */
  readonly foreign: readonly string[];
}

/** The callbacks of {@link findRegister}. */
export interface Finding {
  /** Creates a missing register. Resolves with `false` if this member creates nothing. */
  readonly make: (directory: string) => Promise<boolean>;
  /**
   * Called with the directory's inode before it is listed, so that a watch that starts now misses
   * nothing.
   */
  readonly entered: (inode: string) => void;
}

/** The number of attempts to read a register that changes during the read. */
const triesMax = 5;

const nothing: Listing = { lives: new Map(), foreign: [] };

/**
 * Finds the current version of a register, and creates a missing register first. Returns
 * `undefined` if it is missing and this member creates nothing. An empty new register does not prove that no member believes that it leads: another register may have been
 * deleted just before (L5).
 * @throws LeadershipError `misconfigured-backend` if the directory has files but no register;
 *   `unreachable` if it is another directory at each attempt
 */
export async function findRegister(
  place: Place,
  directory: string,
  { make, entered }: Finding,
): Promise<Found | undefined> {
  for (let tries = 1; tries <= triesMax; tries += 1) {
    const inode = await inodeOf(directory);
    if (inode !== undefined) entered(inode);
    const listing = (await list(directory)) ?? nothing;
    const version = await current(place, directory, inode, listing);
    // Another directory may have taken that name meanwhile, and the result may mix both.
    const isSame = (await inodeOf(directory)) === inode;
    if (isSame && version !== undefined && inode !== undefined)
      return { version: { ...version, inode }, foreign: listing.foreign };
    // Existing files would block the new register.
    if (isSame && isEmpty(listing) && !(await make(directory))) return undefined;
  }
  throw new LeadershipError(
    'unreachable',
    `${directory}: it changes faster than it can be read: find out which process removes it while it is in use`,
  );
}

async function current(
  place: Place,
  directory: string,
  inode: string | undefined,
  listing: Listing,
): Promise<Version | undefined> {
  return (
    (await locate(place, directory, listing.lives)) ??
    (await lone(place, directory, inode, listing))
  );
}

function isEmpty({ lives, foreign }: Listing): boolean {
  return lives.size === 0 && foreign.length === 0;
}

/**
 * Handles a register whose versions were removed by hand so that none has its predecessor. The
 * highest version counts as a hold by a stranger: a newer version may have existed, and its holder
 * may still believe that it leads. Returns `undefined` if the files changed because the directory
 * was replaced.
 */
async function lone(
  place: Place,
  directory: string,
  inode: string | undefined,
  listing: Listing,
): Promise<Version | undefined> {
  if (isEmpty(listing)) return undefined;
  const name = onlyHighest(listing);
  const text = name && (await readText(versionPath(directory, name)));
  if (!isSame((await list(directory)) ?? nothing, listing) || (await inodeOf(directory)) !== inode)
    return undefined;
  if (name !== undefined && text !== undefined)
    return strangeVersion(place, name, text, recordAt(place, name.number, text)?.token ?? 0n);
  const advice =
    'it holds files, but no register of this group: move it away, and a member will create a new one';
  throw new LeadershipError('misconfigured-backend', `${directory}: ${advice}`);
}

function onlyHighest({ lives }: Listing): VersionName | undefined {
  const [name, ...others] = [...lives].map(([mark, numbers]) => ({
    number: numbers.at(-1) ?? 0,
    mark,
  }));
  return others.length === 0 ? name : undefined;
}

function isSame(a: Listing, b: Listing): boolean {
  const text = ({ lives, foreign }: Listing): string =>
    JSON.stringify([[...lives].sort(), [...foreign].sort()]);
  return text(a) === text(b);
}
