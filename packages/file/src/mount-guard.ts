// A directory that is bind-mounted, as containers have it, stays the same directory when its source is renamed: device and inode
// do not change, and no other process sees it by its old name any more. Members that start later find another directory under that
// name, and elect a leader of their own. The kernel's list of mounts is the only place that shows it (decision 0057).
import { LeadershipError } from '@leadership/core';
import type { Host } from '@leadership/core/backend';
import { complaint } from './complaint.ts';
import { disk } from './disk.ts';
import type { MountFacts } from './disk-calls.ts';

/** Returns the mount that a directory lies on; `undefined` where that is not known. */
type MountOf = (directory: string, known: MountFacts | undefined) => Promise<MountFacts | undefined>;

/** What a guard needs of its ledger. */
export interface MountGuardOptions {
  readonly host: Pick<Host, 'trouble'>;
  readonly directory: string;
  /** Called when the source was renamed, and when it has its name back: whatever was believed before is void. */
  readonly moved: () => void;
  /** For tests. */
  readonly mountOf?: MountOf;
}

/** Checks that the directory is still what its name says. */
export interface MountGuard {
  /** Remembers where the directory lies, unless that is known. */
  begin(): Promise<void>;
  /**
   * Looks before a write. Calls that are made in one turn of the event loop share a look.
   * @throws LeadershipError `unreachable` while the source of the mount is renamed or removed, and once when it has its name back
   */
  check(): Promise<void>;
}

/** The guard of one ledger. A look that fails holds up nothing: the next write looks again. */
export function mountGuard({ host, directory, moved, mountOf = systemMountOf }: MountGuardOptions): MountGuard {
  const renamed = complaint(host, directory);
  let known: MountFacts | undefined;
  let failure: LeadershipError | undefined;
  let next: Promise<void> | undefined;

  async function look(): Promise<void> {
    // A write that comes from here on needs a look that begins later.
    next = undefined;
    const before = failure;
    const found = await mountOf(directory, known).catch(() => undefined);
    if (found !== undefined) failure = renaming(directory, known, found);
    if ((failure === undefined) !== (before === undefined)) turn();
    // A write that was on its way when the name came back was meant for what is void now.
    if (failure ?? before) throw failure ?? before;
    known = found ?? known;
  }

  function turn(): void {
    if (failure) renamed.raise(failure);
    else renamed.mend();
    moved();
  }

  const check = (): Promise<void> => {
    next ??= Promise.resolve().then(look);
    return next;
  };
  return { check, begin: () => check().catch(() => undefined) };
}

const systemMountOf: MountOf = async (directory, known) => (process.platform === 'linux' ? disk.mountOf(directory, known) : undefined);

/** Returns what is wrong where the same mount shows a directory of another name; a mount that is another is no matter of names. */
function renaming(directory: string, known: MountFacts | undefined, found: MountFacts): LeadershipError | undefined {
  if (known === undefined || known.mount !== found.mount || known.root === found.root) return undefined;
  const [was, is] = [known.root, found.root].map((root) => JSON.stringify(root));
  const why = `the directory that is mounted here was ${was} on its file system when this member started, and is ${is} now`;
  const remedy = 'rename it back, or start the container anew';
  return new LeadershipError('unreachable', `${directory}: ${why}: members that start now find another one by that name; ${remedy}`);
}
