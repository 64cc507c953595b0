// The compare-and-set, without a lock: version N + 1 is linked into place, which fails where it exists. What was linked
// counts only if version N still stands afterwards (see register.ts); it is looked at before as well, so that a member whose
// store was deleted and made anew leaves nothing in the new one.
import { link, unlink } from 'node:fs/promises';
import { LeadershipError } from '@leadership/core';
import { formatRecord, type LedgerRecord, type Written } from '@leadership/core/ledger';
import { codeOf, missing, unless } from './errors.ts';
import { versionPath } from './layout.ts';
import { list } from './locate.ts';
import type { Register } from './register.ts';
import type { Scratch } from './scratch.ts';
import { syncDirectory } from './sync-directory.ts';
import { idOf, type Version, versionAfter } from './version.ts';

/**
 * Writes `record` where what it replaces is current. Rejects where its fate is unknown. `refused` says that it is not
 * current: a member that was paused right here is told so also where its record took effect, and eight others since.
 * @param isOver - whether it is too late: nothing is put in place then
 */
export async function put(register: Register, record: LedgerRecord, scratch: Scratch, isOver: () => boolean): Promise<Written> {
  const before = register.version;
  if (before?.number !== record.height || idOf(before) !== record.after) {
    // The engine stands elsewhere than this register: what it missed is told once more.
    register.retell();
    return 'refused';
  }
  if (!(await register.stands(before))) return outrun(register);
  const text = formatRecord(record);
  const aside = await scratch.put(text, true);
  try {
    if (isOver()) throw new LeadershipError('unreachable', `${register.directory}: the disk took too long to write`);
    return (await linked(register, before, aside)) ? await settle(register, before, text) : 'refused';
  } finally {
    await scratch.drop(aside);
  }
}

async function linked(register: Register, before: Version, aside: string): Promise<boolean> {
  const number = before.number + 1;
  try {
    await link(aside, versionPath(register.directory, number));
    return true;
  } catch (error) {
    const code = codeOf(error) ?? '';
    if (code === 'EEXIST') register.heardOf(number);
    else if (missing.includes(code)) register.doubt();
    else throw error;
    return false;
  }
}

/** The link is there. Whether it took effect, what stands before it tells. */
async function settle(register: Register, before: Version, text: string): Promise<Written> {
  const version = versionAfter(register.place, before, text);
  if (!(await register.stands(before))) {
    await withdraw(register, version.number);
    return outrun(register);
  }
  if (version.record?.token !== before.record?.token) await syncDirectory(register.directory);
  register.adopt(version);
  return 'in-effect';
}

/**
 * Removes a version that was pruned long ago and came back by our link. Where no higher one shows that it was pruned, the
 * register was made anew: there it stays, for the others may have moved past it meanwhile, and counts as a stranger's.
 */
async function withdraw({ directory }: Register, number: number): Promise<void> {
  const { numbers = [] } = (await list(directory)) ?? {};
  if ((numbers.at(-1) ?? 0) > number) await unless(missing, unlink(versionPath(directory, number)));
}

function outrun(register: Register): Written {
  register.doubt();
  return 'refused';
}
