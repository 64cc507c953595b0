// Prepares the directory of a group before a member campaigns.
import { dirname } from 'node:path';
import { LeadershipError } from '@leadership/core';
import { disk } from './disk/disk.ts';
import { makeDirectory } from './disk/make-directory.ts';
import { probeLinks } from './disk/probe-links.ts';
import type { Scratch } from './disk/scratch.ts';
import { missing, unless } from './errors.ts';
import type { Layout } from './layout.ts';
import { refuseNetwork } from './mount/network-file-system.ts';

/**
 * Creates the directory of a group for a candidate, and checks that it can hold the rows.
 * @throws LeadershipError `misconfigured-backend` if it cannot; system errors if that is unknown
 */
export async function prepare(layout: Layout, scratch: Scratch): Promise<void> {
  await makeDirectory(layout.group);
  await checkPlace(layout.group);
  await probeLinks(scratch, layout.group);
  await scratch.sweep();
}

/**
 * Checks that the directory of a group lies, or would lie, on a disk of this host. Creates nothing,
 * so it is all that an observer may do.
 * @throws LeadershipError `misconfigured-backend` if it does not, or if no directory can have that
 *   name
 */
export async function checkPlace(directory: string): Promise<void> {
  let place = directory;
  let found = await unless(missing, disk.stat(place));
  while (found === undefined && dirname(place) !== place) {
    place = dirname(place);
    found = await unless(missing, disk.stat(place));
  }
  if (found !== undefined && !found.isDirectory)
    throw new LeadershipError(
      'misconfigured-backend',
      `${place}: it is not a directory: correct the directory`,
    );
  await refuseNetwork(directory, place);
}
