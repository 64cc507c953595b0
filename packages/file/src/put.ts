// The compare-and-set, without a lock: version N + 1 is linked into place, which fails where it exists. What was linked
// counts only if version N still stands afterwards (see register.ts).
import { LeadershipError } from '@leadership/core';
import { formatRecord, type LedgerRecord, type Written } from '@leadership/core/ledger';
import { disk } from './disk.ts';
import { codeOf, missing, unless } from './errors.ts';
import { type VersionName, versionPath } from './layout.ts';
import { highestJoined, list } from './locate.ts';
import { prune } from './prune.ts';
import type { Register } from './register.ts';
import type { Scratch } from './scratch.ts';
import { syncDirectory } from './sync-directory.ts';
import { idOf, type Standing, type Version } from './version.ts';

/**
 * Writes `record` where what it replaces is current. Rejects where its fate is unknown. `refused` says that it is not
 * current: a member that was paused right here is told so also where its record took effect, and eight others since.
 * @param isOver - whether it is too late: nothing is put in place then
 */
export async function put(register: Register, record: LedgerRecord, scratch: Scratch, isOver: () => boolean): Promise<Written> {
  const before = register.told;
  if (before?.number !== record.height || idOf(before) !== record.after) {
    // The engine stands elsewhere than this register: what it missed is told once more.
    register.retell();
    return 'refused';
  }
  if (!(await register.stands(before))) return outrun(register);
  const text = formatRecord(record);
  const aside = await scratch.put(text, isTerm(before, record));
  try {
    if (isOver()) throw new LeadershipError('unreachable', `${register.directory}: the disk took too long to write`);
    const version: Standing = { ...before, number: before.number + 1, text, record, strange: false };
    return await register.writing(version.number, place(register, before, version, aside));
  } finally {
    await scratch.drop(aside);
  }
}

/**
 * Returns whether the record begins a term, or is the pin: only that is made durable. After a power loss nobody on this host
 * believes any more. A renewal or a release that is lost costs a wait, and says no token that its term did not.
 */
function isTerm(before: Version, { token }: LedgerRecord): boolean {
  return before.record?.token !== token;
}

async function place(register: Register, before: Standing, version: Standing, aside: string): Promise<Written> {
  return (await linked(register, version, aside)) ? settle(register, before, version) : 'refused';
}

async function linked(register: Register, version: VersionName, aside: string): Promise<boolean> {
  try {
    await disk.link(aside, versionPath(register.directory, version));
    return true;
  } catch (error) {
    const code = codeOf(error) ?? '';
    if (code === 'EEXIST') register.heardOf(version.number);
    else if (missing.includes(code)) register.doubt();
    else throw error;
    return false;
  }
}

/** The link is there. Whether it took effect, what stands before it tells. */
async function settle(register: Register, before: Standing, version: Standing): Promise<Written> {
  if (!(await register.stands(before))) {
    await withdraw(register, version);
    return outrun(register);
  }
  if (version.record !== null && isTerm(before, version.record)) {
    // Who reads after a power loss goes by this version only if it finds the one before it whole.
    await unless(missing, disk.sync(versionPath(register.directory, before)));
    await syncDirectory(register.directory);
  }
  register.adopt(version);
  return 'in-effect';
}

/**
 * Clears away what was linked in vain. Not by itself: somebody may follow it, and what it replaces may be damaged only, and
 * then it counts as a stranger's. But where the register has left it far behind it is pruned, in order, as it was before; and
 * where it is alone of its mark, the register it belongs to was deleted.
 */
async function withdraw({ place, directory }: Register, name: VersionName): Promise<void> {
  const numbers = (await list(directory))?.lives.get(name.mark) ?? [];
  const current = await highestJoined(place, directory, name.mark, numbers);
  if (current !== undefined) await prune(directory, current);
  else if (numbers.length === 1) await unless(missing, disk.unlink(versionPath(directory, name)));
}

function outrun(register: Register): Written {
  register.doubt();
  return 'refused';
}
