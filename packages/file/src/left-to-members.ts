import { LeadershipError } from '@leadership/core';
import { disk } from './disk.ts';
import { codeOf, forbidden, missing, unless } from './errors.ts';

/**
 * What an observer makes where it can, and waits for where it has no right to: a member that has will come. Time mends that, and
 * may have done so meanwhile.
 * @throws LeadershipError `unreachable` where nobody has made the directory and put something into it yet; whatever else `make`
 *   fails with
 */
export async function leftToMembers(directory: string, make: () => Promise<void>): Promise<void> {
  try {
    await make();
  } catch (cause) {
    if (!forbidden.includes(codeOf(cause) ?? '')) throw cause;
    const names = await unless(missing, disk.readdir(directory));
    if (names !== undefined && names.length > 0) return;
    const why = 'no member has made it yet, and this one, which only observes, has no right to: it waits for one that has';
    throw new LeadershipError('unreachable', `${directory}: ${why}`, { cause });
  }
}
