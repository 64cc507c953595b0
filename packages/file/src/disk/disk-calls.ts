// The file system calls of an election. Each blocks, and runs in a separate thread (disk.ts).
// Arguments and results are plain data, because they are sent to and from that thread.
import * as fs from 'node:fs';
import { dirname } from 'node:path';
import { unescapedPath } from './unescaped-path.ts';

/** The attributes of a file or directory. */
interface FileFacts {
  readonly dev: number;
  readonly ino: number;
  readonly birthtimeMs: number;
  readonly mtimeMs: number;
  readonly isDirectory: boolean;
}

/** The mount that a directory lies on. */
export interface MountFacts {
  /**
   * Identifies the mount: its number, its mount point, and the device and inode of that directory.
   * The kernel reuses the number alone.
   */
  readonly mount: string;
  /**
   * The directory of the file system that is mounted, or `/` if the whole file system is. The
   * kernel updates it if that directory is renamed.
   */
  readonly root: string;
}

/** The options of `write`. */
export interface WriteOptions {
  /** `wx`: the file must be new. `r+`: the file must exist, and is overwritten in place. */
  readonly flag: 'wx' | 'r+';
  /** Whether the call returns only after the text is durable on the disk. */
  readonly durable: boolean;
}

/** The size above which a file cannot be a record: a text of a row, and the end of its line. */
const textBytesMax = 64 * 1024 + 1;

/** Large enough for almost every record, so that one read suffices. */
const firstReadBytes = 4096;

// The reader must not block on a FIFO, nor follow a symbolic link. Windows has neither flag.
const readFlags =
  fs.constants.O_RDONLY | (fs.constants.O_NONBLOCK ?? 0) | (fs.constants.O_NOFOLLOW ?? 0);

function facts(stats: fs.Stats): FileFacts {
  const { dev, ino, birthtimeMs, mtimeMs } = stats;
  return { dev, ino, birthtimeMs, mtimeMs, isDirectory: stats.isDirectory() };
}

/** Reads the text of a row at most. A larger file reads as an empty text, which is not a valid record. */
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

function sync(path: string, flag: 'r' | 'r+' = 'r'): void {
  const file = fs.openSync(path, flag);
  try {
    fs.fsyncSync(file);
  } finally {
    fs.closeSync(file);
  }
}

/**
 * Returns the kernel's number of the mount that contains `path`. If `path` does not exist, uses the
 * nearest ancestor that exists.
 */
function mountIdOf(path: string): string | undefined {
  try {
    const file = fs.openSync(path, fs.constants.O_RDONLY);
    try {
      return /^mnt_id:\s*(\d+)$/m.exec(fs.readFileSync(`/proc/self/fdinfo/${file}`, 'utf8'))?.[1];
    } finally {
      fs.closeSync(file);
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' && dirname(path) !== path)
      return mountIdOf(dirname(path));
    throw error;
  }
}

/**
 * Returns the mount that contains `path`, from its line in `/proc/self/mountinfo`: `ID PARENT
 * DEVICE ROOT POINT OPTIONS …` (proc_pid_mountinfo(5)). Returns `known` without reading that file
 * if `known` has the same number and is a mount of a whole file system.
 */
function mountOf(path: string, known: MountFacts | undefined): MountFacts | undefined {
  const id = mountIdOf(path);
  if (id === undefined) return undefined;
  // The root of a whole file system cannot be renamed.
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

/** The file system calls by name. */
export interface DiskCalls {
  link(from: string, to: string): void;
  unlink(path: string): void;
  /** Removes a file, or a directory with its content, if it exists. */
  rm(path: string): void;
  mkdir(path: string): void;
  readdir(path: string): readonly string[];
  stat(path: string): FileFacts;
  lstat(path: string): FileFacts;
  /** Returns the type of the file system, as `statfs(2)` numbers it. */
  fileSystem(path: string): number;
  readText(path: string): string;
  /**
   * Returns the mount that a directory lies on; `undefined` if the kernel does not report it. Linux
   * only.
   */
  mountOf(path: string, known: MountFacts | undefined): MountFacts | undefined;
  write(path: string, text: string, options: WriteOptions): void;
  /**
   * Makes the names in a directory durable on the disk, or the text of a file. A member opens its own by `r+`,
   * because Windows syncs no file that was opened for reading. It may not write in those of other users.
   */
  sync(path: string, flag?: 'r' | 'r+'): void;
}

export const diskCalls: DiskCalls = {
  link: (from, to) => fs.linkSync(from, to),
  unlink: (path) => fs.unlinkSync(path),
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
