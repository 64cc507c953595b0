// The calls of the file system that an election makes, each blocking: they run in a thread of their own (disk.ts). Arguments
// and results are plain data, because they cross to that thread.
import * as fs from 'node:fs';
import { dirname } from 'node:path';
import { unescapedPath } from './unescaped-path.ts';

/** What is known of a file or directory. */
export interface FileFacts {
  readonly dev: number;
  readonly ino: number;
  readonly birthtimeMs: number;
  readonly mtimeMs: number;
  readonly isDirectory: boolean;
}

/** The mount that a directory lies on. */
export interface MountFacts {
  /** Tells a mount from another one, also where the kernel gives its number out again: number, place and inode. */
  readonly mount: string;
  /** Which directory of the mounted file system is seen there; the kernel keeps it up to date. `/` where it is all of it. */
  readonly root: string;
}

/** How a text is written. */
export interface WriteOptions {
  /** `wx`: the file must be new. `r+`: it must exist, and is written over in place. */
  readonly flag: 'wx' | 'r+';
  /** Whether the text is on the disk for good when the call returns. */
  readonly durable: boolean;
}

/** A record is under 2 KiB; whatever is larger than this is none. Bytes. */
const textBytesMax = 64 * 1024;

/** Large enough for every record, so that one read is the rule. Bytes. */
const firstReadBytes = 4096;

// A FIFO must not block the reader, and a symbolic link is none of ours. Windows knows neither flag.
const readFlags = fs.constants.O_RDONLY | (fs.constants.O_NONBLOCK ?? 0) | (fs.constants.O_NOFOLLOW ?? 0);

function facts(found: fs.Stats): FileFacts {
  const { dev, ino, birthtimeMs, mtimeMs } = found;
  return { dev, ino, birthtimeMs, mtimeMs, isDirectory: found.isDirectory() };
}

/** Never more than 64 KiB is read: a larger file reads as empty, and an empty text is no record. */
function readText(path: string): string {
  const file = fs.openSync(path, readFlags);
  try {
    const first = Buffer.allocUnsafe(firstReadBytes);
    const bytes = fs.readSync(file, first, 0, firstReadBytes, 0);
    if (bytes < firstReadBytes) return first.toString('utf8', 0, bytes);
    const whole = Buffer.alloc(textBytesMax + 1);
    const all = fs.readSync(file, whole, 0, whole.length, 0);
    return all > textBytesMax ? '' : whole.toString('utf8', 0, all);
  } finally {
    fs.closeSync(file);
  }
}

function write(path: string, text: string, { flag, durable }: WriteOptions): void {
  const file = fs.openSync(path, flag);
  try {
    fs.writeFileSync(file, text);
    if (durable) fs.fdatasyncSync(file);
  } finally {
    fs.closeSync(file);
  }
}

function sync(path: string): void {
  const file = fs.openSync(path, 'r');
  try {
    fs.fsyncSync(file);
  } finally {
    fs.closeSync(file);
  }
}

/** Which mount `path` lies on, or what is above it where it does not exist, by the kernel's number of it. */
function mountIdOf(path: string): string | undefined {
  try {
    const file = fs.openSync(path, fs.constants.O_RDONLY);
    try {
      return /^mnt_id:\s*(\d+)$/m.exec(fs.readFileSync(`/proc/self/fdinfo/${file}`, 'utf8'))?.[1];
    } finally {
      fs.closeSync(file);
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' && dirname(path) !== path) return mountIdOf(dirname(path));
    throw error;
  }
}

/** As proc_pid_mountinfo(5) has it: `ID PARENT DEVICE ROOT POINT OPTIONS …`. The list is read only where the root can have changed. */
function mountOf(path: string, known: MountFacts | undefined): MountFacts | undefined {
  const id = mountIdOf(path);
  if (id === undefined) return undefined;
  // A whole file system has no source that could be renamed.
  if (known?.root === '/' && known.mount.startsWith(`${id} `)) return known;
  const lines = fs.readFileSync('/proc/self/mountinfo', 'utf8').split('\n');
  const [, , , root, point] = lines.find((line) => line.startsWith(`${id} `))?.split(' ') ?? [];
  if (root === undefined || point === undefined) return undefined;
  return { mount: `${id} ${point} ${inodeAt(unescapedPath(point))}`, root: unescapedPath(root) };
}

function inodeAt(path: string): string {
  const { dev, ino } = fs.statSync(path);
  return `${dev}/${ino}`;
}

/** The calls by name. */
export interface DiskCalls {
  link(from: string, to: string): void;
  unlink(path: string): void;
  rename(from: string, to: string): void;
  /** Removes a file, or a directory with all that is in it, if it exists. */
  rm(path: string): void;
  mkdir(path: string): void;
  readdir(path: string): readonly string[];
  stat(path: string): FileFacts;
  lstat(path: string): FileFacts;
  /** Returns the type of the file system, as `statfs(2)` numbers it. */
  fileSystem(path: string): number;
  readText(path: string): string;
  /** Returns the mount that a directory lies on; `undefined` where the kernel does not say. Linux only. */
  mountOf(path: string, known: MountFacts | undefined): MountFacts | undefined;
  write(path: string, text: string, options: WriteOptions): void;
  /** The file, or the names in the directory, are on the disk for good when this returns. */
  sync(path: string): void;
}

export const diskCalls: DiskCalls = {
  link: (from, to) => fs.linkSync(from, to),
  unlink: (path) => fs.unlinkSync(path),
  rename: (from, to) => fs.renameSync(from, to),
  rm: (path) => fs.rmSync(path, { recursive: true, force: true }),
  mkdir: (path) => void fs.mkdirSync(path),
  readdir: (path) => fs.readdirSync(path),
  stat: (path) => facts(fs.statSync(path)),
  lstat: (path) => facts(fs.lstatSync(path)),
  fileSystem: (path) => fs.statfsSync(path).type,
  readText,
  mountOf,
  write,
  sync,
};
