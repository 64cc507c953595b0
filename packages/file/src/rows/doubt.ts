// Whether a store may lack the newest changes, for a member that reads it first (M6). File times can
// only add caution.
import { join } from 'node:path';
import { ageOf } from '../disk/directory-life.ts';
import { disk } from '../disk/disk.ts';
import { codeOf, unless } from '../errors.ts';
import type { View } from './row-directory.ts';
import { doubtedFile } from './version-name.ts';

/** File times are coarser than the clock, so a file may seem to be from the future. Milliseconds. */
const clockStepMs = 1000;

/**
 * Returns whether no member has changed a row for longer than any member can believe that it leads.
 * A store that was restored, such as the old target of a link, looks like that too. The leader of
 * the store that it replaced may still believe that it leads (decision 0031).
 */
export async function isLeft(path: string, { heads }: View, leaseMs: number): Promise<boolean> {
  const files = Array.from(heads.values()).filter(({ row }) => !row.startsWith('member#'));
  const ages = await Promise.all(files.map(({ file }) => ageOf(join(path, file))));
  const youngest = Math.min(...ages.map((age) => age ?? 0));
  return youngest < -clockStepMs || (files.length > 0 && youngest > leaseMs);
}

/** Returns whether a member has noted its doubt for less than that. */
export async function isDoubtNoted(path: string, leaseMs: number): Promise<boolean> {
  const age = await ageOf(join(path, doubtedFile));
  return age !== undefined && age < leaseMs;
}

/** Notes the doubt, before a change of this member makes the store look as if it was in use. */
export async function noteDoubt(path: string): Promise<void> {
  await touch(join(path, doubtedFile));
}

/** Writes a file whose content does not matter, and creates it if it does not exist. */
export async function touch(path: string): Promise<void> {
  const write = (flag: 'r+' | 'wx'): Promise<void> =>
    disk.write(path, '\n', { flag, durable: false });
  try {
    await write('r+');
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    await unless(['EEXIST'], write('wx'));
  }
}
