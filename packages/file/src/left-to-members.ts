import { stat } from 'node:fs/promises';
import { LeadershipError } from '@leadership/core';
import { codeOf, forbidden, missing, unless } from './errors.ts';

/**
 * What an observer makes where it can, and waits for where it has no right to: a member that has will come. Time mends that.
 * @throws LeadershipError `unreachable` where nobody has made `path` yet; whatever `make` fails with otherwise
 */
export async function leftToMembers(path: string, make: () => Promise<void>): Promise<void> {
  try {
    await make();
  } catch (cause) {
    const isForbidden = forbidden.includes(codeOf(cause) ?? '');
    if (!isForbidden || (await unless(missing, stat(path))) !== undefined) throw cause;
    const why = 'no member has made it yet, and this one, which only observes, has no right to: it waits for one that has';
    throw new LeadershipError('unreachable', `${path}: ${why}`, { cause });
  }
}
