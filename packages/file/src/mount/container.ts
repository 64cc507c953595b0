// Warns if the directory is private to a container. In a container, a directory that is not mounted
// is the container's own: members in other containers see another directory with that name, and
// each container elects its own leader. The directory itself does not show this, but the kernel's
// list of mounts, its control groups and the files of container engines do.
import { access, readFile, realpath } from 'node:fs/promises';
import type { Host } from '@leadership/core/adapter';
import { unescapedPath } from '../disk/unescaped-path.ts';

/** The signs of a container that a process can see. */
export interface ContainerEvidence {
  /** The visible mounts: the text of `/proc/self/mountinfo`. */
  readonly mounts: string;
  /** The control groups of the process with the id 1: the text of `/proc/1/cgroup`. */
  readonly groups: string;
  /** The files and environment variables of container engines that were found. */
  readonly marks: readonly string[];
}

/** Returns a warning about the location of a directory; `undefined` if there is none. */
export type WarningOf = (directory: string) => Promise<string | undefined>;

interface Mount {
  readonly point: string;
  /** The directory of the mounted file system that is visible at the mount point. */
  readonly root: string;
  readonly type: string;
  readonly line: string;
}

const markFiles: readonly string[] = ['/.dockerenv', '/run/.containerenv'];
const markVariables: readonly string[] = ['container', 'KUBERNETES_SERVICE_HOST'];

/** The names of container engines in control groups, and in the directories that they mount. */
const engines = /\b(docker|containerd|containers|kubepods|crio|lxc)\b/;

/** The file systems that container engines build from image layers. */
const layered: readonly string[] = ['overlay', 'aufs', 'fuse.fuse-overlayfs', 'zfs'];

/**
 * Creates a function that checks once whether a directory is private to a container, and warns.
 * Later calls do nothing. Callers need not wait for it: the check uses Node's thread pool, which may
 * be busy.
 */
export function containerWarner(
  host: Pick<Host, 'warning'>,
  directory: string,
  warningOf: WarningOf = containerWarning,
): () => Promise<void> {
  let isAsked = false;
  return async () => {
    if (isAsked) return;
    isAsked = true;
    const message = await warningOf(directory);
    if (message !== undefined) host.warning('misconfigured-backend', message);
  };
}

/**
 * Returns the warning about a directory as this process sees it; `undefined` if there is none or the
 * environment is unknown.
 */
export async function containerWarning(
  directory: string,
  platform: string = process.platform,
): Promise<string | undefined> {
  if (platform !== 'linux') return undefined;
  try {
    return isPrivateToContainer(await realpath(directory), await evidence())
      ? warningText(directory)
      : undefined;
  } catch {
    // Without the list of mounts the answer is unknown. This is only a warning, so ignore the
    // error.
    return undefined;
  }
}

/**
 * Returns whether the directory, an absolute path without links, lies in a container's own file
 * system.
 */
export function isPrivateToContainer(
  directory: string,
  { mounts, groups, marks }: ContainerEvidence,
): boolean {
  const visible = mounts.split('\n').flatMap(mountIn);
  const root = visible.findLast(({ point }) => point === '/');
  if (root === undefined || mountOf(directory, visible) !== root) return false;
  // A virtual machine that was created from an image keeps the marks, but has its own disk. An
  // engine mounts image layers as `/`, or a directory of another file system.
  const isContainerRoot = layered.includes(root.type) || root.root !== '/';
  return isContainerRoot && (marks.length > 0 || engines.test(groups) || engines.test(root.line));
}

/**
 * Returns the mount that contains the directory: the deepest one, and of several at one point the
 * last, which hides the others.
 */
function mountOf(directory: string, mounts: readonly Mount[]): Mount | undefined {
  const containing = mounts.filter(
    ({ point }) => point === '/' || directory === point || directory.startsWith(`${point}/`),
  );
  const deepest = Math.max(...containing.map(({ point }) => point.length));
  return containing.findLast(({ point }) => point.length === deepest);
}

/**
 * Parses a line of proc_pid_mountinfo(5):
 * `ID PARENT DEVICE ROOT POINT OPTIONS TAGS… - TYPE SOURCE OPTIONS`.
 */
function mountIn(line: string): readonly Mount[] {
  const [, , , root, point, ...rest] = line.split(' ');
  const type = rest[rest.indexOf('-') + 1];
  if (root === undefined || point === undefined || type === undefined) return [];
  return [{ point: unescapedPath(point), root: unescapedPath(root), type, line }];
}

async function evidence(): Promise<ContainerEvidence> {
  const files = await Promise.all(
    markFiles.map((file) =>
      access(file).then(
        () => [file],
        () => [],
      ),
    ),
  );
  const marks = [
    ...files.flat(),
    ...markVariables.filter((name) => process.env[name] !== undefined),
  ];
  const groups = await readFile('/proc/1/cgroup', 'utf8').catch(() => '');
  return { mounts: await readFile('/proc/self/mountinfo', 'utf8'), groups, marks };
}

function warningText(directory: string): string {
  const why =
    'it lies in the file system of this container, which other containers cannot see: each container elects its own leader';
  return `${directory}: ${why}. Mount a directory of the machine that all members share; if all members run in this container, ignore this warning`;
}
