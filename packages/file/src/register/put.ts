// Replaces the record in a register, which keeps the lease of one partition: implements the
// compare-and-set without a lock. Version N + 1 is linked into place, which fails if it exists. The
// link counts only if version N still exists afterwards (see register.ts).
import { LeadershipError } from '@leadership/core';
import {
  formatRecord,
  type LedgerRecord,
  type WriteOutcome,
} from '@leadership/core/internal/lease';
import { disk } from '../disk/disk.ts';
import type { Scratch } from '../disk/scratch.ts';
import { syncDirectory } from '../disk/sync-directory.ts';
import { codeOf, missing, unless } from '../errors.ts';
import { type VersionName, versionPath } from './layout.ts';
import { highestJoined, list } from './locate.ts';
import { prune } from './prune.ts';
import type { Register } from './register.ts';
import { idOf, type Standing, type Version } from './version.ts';

/**
 * Writes `record` if the record it replaces is current. Rejects if the outcome is unknown.
 * `refused` means that the record is not current: a member that was paused here gets that even if
 * its record took effect and eight others followed.
 * @param isOver - whether it is too late to put the record in place
 */
export async function put(
  register: Register,
  record: LedgerRecord,
  scratch: Scratch,
  isOver: () => boolean,
): Promise<WriteOutcome> {
  const before = register.reported;
  if (before?.number !== record.height || idOf(before) !== record.after) {
    // The engine knows another state than this register, so report the current state again.
    register.repeat();
    return 'refused';
  }
  if (!(await register.stands(before))) return outrun(register);
  const text = formatRecord(record);
  const aside = await scratch.put(text, isTerm(before, record));
  try {
    if (isOver())
      throw new LeadershipError(
        'unreachable',
        `${register.directory}: writing to the disk took too long; check the disk`,
      );
    const version: Standing = {
      ...before,
      number: before.number + 1,
      text,
      record,
      strange: false,
    };
    return await register.writing(version.number, place(register, before, version, aside));
  } finally {
    await scratch.drop(aside);
  }
}

/**
 * Returns whether the record begins a term or is the pin. Only such records are made durable. After
 * a power loss no member on this host believes that it leads. A lost renewal or release only costs
 * a wait, and carries no token that its term did not carry.
 */
function isTerm(before: Version, { token }: LedgerRecord): boolean {
  return before.record?.token !== token;
}

async function place(
  register: Register,
  before: Standing,
  version: Standing,
  aside: string,
): Promise<WriteOutcome> {
  return (await linked(register, version, aside)) ? settle(register, before, version) : 'refused';
}

async function linked(register: Register, version: VersionName, aside: string): Promise<boolean> {
  try {
    await disk.link(aside, versionPath(register.directory, version));
    return true;
  } catch (error) {
    const code = codeOf(error) ?? '';
    if (code === 'EEXIST') register.exists(version.number);
    else if (missing.includes(code)) register.doubt();
    else throw error;
    return false;
  }
}

/** Decides whether a linked version took effect, by whether its predecessor still exists. */
async function settle(
  register: Register,
  before: Standing,
  version: Standing,
): Promise<WriteOutcome> {
  if (!(await register.stands(before))) {
    await retract(register, version);
    return outrun(register);
  }
  if (version.record !== null && isTerm(before, version.record)) {
    // After a power loss a reader accepts this version only if its predecessor is intact.
    await unless(missing, disk.sync(versionPath(register.directory, before)));
    await syncDirectory(register.directory);
  }
  register.adopt(version);
  return 'in-effect';
}

/**
 * Cleans up a version that did not take effect. It must not simply be removed: another member may
 * have appended to it, because a damaged predecessor counts as a stranger's hold. If the register
 * is far ahead, the version is pruned in order. If it is the only version with its mark, its
 * register was deleted and it can be removed.
 */
async function retract({ place, directory }: Register, name: VersionName): Promise<void> {
  const numbers = (await list(directory))?.lives.get(name.mark) ?? [];
  const current = await highestJoined(place, directory, name.mark, numbers);
  if (current !== undefined) await prune(directory, current);
  else if (numbers.length === 1) await unless(missing, disk.unlink(versionPath(directory, name)));
}

function outrun(register: Register): WriteOutcome {
  register.doubt();
  return 'refused';
}
