import { LeadershipError } from '@leadership/core';
import { codeOf, forbidden, missing, unless } from '../errors.ts';
import { disk } from './disk.ts';

/**
 * Runs `make` for an observer. If the observer lacks permission, the directory may already have
 * been created by a member; otherwise the observer must wait for one.
 * @throws LeadershipError `unreachable` if no member has created and filled the directory yet;
 *   other errors of `make` pass
 */
export async function makeAsObserver(directory: string, make: () => Promise<void>): Promise<void> {
  try {
    await make();
  } catch (cause) {
    if (!forbidden.includes(codeOf(cause) ?? '')) throw cause;
    const names = await unless(missing, disk.readdir(directory));
    if (names !== undefined && names.length > 0) return;
    const why =
      'no member has created it yet, and this observer lacks permission: start a member, or wait for one';
    throw new LeadershipError('unreachable', `${directory}: ${why}`, { cause });
  }
}
