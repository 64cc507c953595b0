// In a container a directory that is not mounted is the container's own: members in other containers see another directory of
// that name, and each container elects a leader. Nothing in the directory tells, but the kernel's list of mounts does.
import { access, readFile, realpath } from 'node:fs/promises';
import type { Host } from '@leadership/core/backend';
import { unescapedPath } from './unescaped-path.ts';

/** What a process can see of where it runs. */
export interface Surroundings {
  /** The mounts that it sees: `/proc/self/mountinfo`. */
  readonly mounts: string;
  /** The control groups of the first process that it sees: `/proc/1/cgroup`. */
  readonly groups: string;
  /** The files and variables that container engines leave and that are there. */
  readonly marks: readonly string[];
}

/** What is to be warned of where a directory lies; `undefined` where nothing is. */
export type WarningOf = (directory: string) => Promise<string | undefined>;

interface Mount {
  readonly point: string;
  /** Which directory of the mounted file system is seen there. */
  readonly root: string;
  readonly type: string;
  readonly line: string;
}

const markFiles: readonly string[] = ['/.dockerenv', '/run/.containerenv'];
const markVariables: readonly string[] = ['container', 'KUBERNETES_SERVICE_HOST'];

/** What engines call themselves in control groups, and in the directories that they mount. */
const engines = /\b(docker|containerd|containers|kubepods|crio|lxc)\b/;

/** The file systems that images are put together with. */
const layered: readonly string[] = ['overlay', 'aufs', 'fuse.fuse-overlayfs', 'zfs'];

/**
 * Warns once of a directory that is a container's own. Nobody needs to wait for that: it is asked through Node's pool, which
 * may be busy.
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

/** What is to be warned of where this process runs; `undefined` where nothing is, or nothing is known. */
export async function containerWarning(directory: string, platform: string = process.platform): Promise<string | undefined> {
  if (platform !== 'linux') return undefined;
  try {
    return isOfContainer(await realpath(directory), await surroundings()) ? sentence(directory) : undefined;
  } catch {
    // Without the list of mounts nothing can be said, and nothing rests on it.
    return undefined;
  }
}

/** Returns whether the directory, an absolute path without links, lies in a container's own file system. */
export function isOfContainer(directory: string, { mounts, groups, marks }: Surroundings): boolean {
  const seen = mounts.split('\n').flatMap(mountIn);
  const root = seen.findLast(({ point }) => point === '/');
  if (root === undefined || mountOf(directory, seen) !== root) return false;
  // A virtual machine made of an image keeps the marks, and has a disk of its own.
  const isImage = layered.includes(root.type) || root.root !== '/';
  return isImage && (marks.length > 0 || engines.test(groups) || engines.test(root.line));
}

/** The mount that the directory lies on: the deepest, and of several at one place the last, which hides the others. */
function mountOf(directory: string, mounts: readonly Mount[]): Mount | undefined {
  const above = mounts.filter(({ point }) => point === '/' || directory === point || directory.startsWith(`${point}/`));
  const deepest = Math.max(...above.map(({ point }) => point.length));
  return above.findLast(({ point }) => point.length === deepest);
}

/** As proc_pid_mountinfo(5) has it: `ID PARENT DEVICE ROOT POINT OPTIONS TAGS… - TYPE SOURCE OPTIONS`. */
function mountIn(line: string): readonly Mount[] {
  const [, , , root, point, ...rest] = line.split(' ');
  const type = rest[rest.indexOf('-') + 1];
  if (root === undefined || point === undefined || type === undefined) return [];
  return [{ point: unescapedPath(point), root: unescapedPath(root), type, line }];
}

async function surroundings(): Promise<Surroundings> {
  const files = await Promise.all(
    markFiles.map((file) =>
      access(file).then(
        () => [file],
        () => [],
      ),
    ),
  );
  const marks = [...files.flat(), ...markVariables.filter((name) => process.env[name] !== undefined)];
  const groups = await readFile('/proc/1/cgroup', 'utf8').catch(() => '');
  return { mounts: await readFile('/proc/self/mountinfo', 'utf8'), groups, marks };
}

function sentence(directory: string): string {
  const why = 'it lies in the file system of this container, which other containers do not see: each container elects its own leader';
  return `${directory}: ${why}. Mount a directory of the host that all members share; if all run in this container, nothing is wrong`;
}
