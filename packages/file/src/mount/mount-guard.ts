// Detects that the source of a bind mount was renamed. A bind-mounted directory, as in containers,
// stays the same directory when its source is renamed: device and inode do not change, but other
// processes no longer see it under the old name. Members that start later find another directory
// under that name, and elect their own leader. Only the kernel's list of mounts shows this
// (decision 0031).
import { LeadershipError } from '@leadership/core';
import type { HealthReporter } from '@leadership/core/internal/engine';
import { disk } from '../disk/disk.ts';
import type { MountFacts } from '../disk/disk-calls.ts';

/** Returns the mount that a directory lies on; `undefined` if it is unknown. */
type MountOf = (
  directory: string,
  known: MountFacts | undefined,
) => Promise<MountFacts | undefined>;

/** The dependencies of a guard. */
export interface MountGuardOptions {
  readonly health: HealthReporter;
  readonly directory: string;
  /**
   * Called when the source was renamed, and when it was renamed back: earlier beliefs are void
   * then.
   */
  readonly moved: () => void;
  /** Replaces the system call. For tests. */
  readonly mountOf?: MountOf;
}

/** Checks that the directory still has its name. */
export interface MountGuard {
  /** Records where the directory lies, unless that is known. */
  begin(): Promise<void>;
  /**
   * Checks the mount before a write. Calls in one turn of the event loop share one check.
   * @throws LeadershipError `unreachable` while the source of the mount is renamed or removed, and
   *   once after it was renamed back
   */
  check(): Promise<void>;
}

/**
 * Creates the guard of one directory. A failed check does not block a write: the next write checks
 * again.
 */
export function mountGuard({
  health,
  directory,
  moved,
  mountOf = systemMountOf,
}: MountGuardOptions): MountGuard {
  let known: MountFacts | undefined;
  let failure: LeadershipError | undefined;
  let next: Promise<void> | undefined;

  async function look(): Promise<void> {
    // A write that arrives from here on needs a check that starts later.
    next = undefined;
    const before = failure;
    const found = await mountOf(directory, known).catch(() => undefined);
    if (found !== undefined) failure = renaming(directory, known, found);
    if ((failure === undefined) !== (before === undefined)) turn();
    // A write that was pending when the name came back was based on a belief that is void now.
    if (failure ?? before) throw failure ?? before;
    known = found ?? known;
  }

  function turn(): void {
    if (failure) health.raise('mount', failure);
    else health.mend('mount');
    moved();
  }

  const check = (): Promise<void> => {
    next ??= Promise.resolve().then(look);
    return next;
  };
  return { check, begin: () => check().catch(() => undefined) };
}

const systemMountOf: MountOf = async (directory, known) =>
  process.platform === 'linux' ? disk.mountOf(directory, known) : undefined;

/**
 * Returns an error if the same mount shows a renamed directory. Another mount is not a renaming.
 */
function renaming(
  directory: string,
  known: MountFacts | undefined,
  found: MountFacts,
): LeadershipError | undefined {
  if (known === undefined || known.mount !== found.mount || known.root === found.root)
    return undefined;
  const [was, is] = [known.root, found.root].map((root) => JSON.stringify(root));
  const why = `the directory that is mounted here was ${was} on its file system when this member started, and is ${is} now`;
  const remedy = 'rename it back, or restart the container';
  return new LeadershipError(
    'unreachable',
    `${directory}: ${why}: members that start now find another directory with that name; ${remedy}`,
  );
}
