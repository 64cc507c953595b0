// What the operating system says, mapped once. Final where only a person can mend it; `unreachable` where time can.
import { LeadershipError, type LeadershipErrorCode } from '@leadership/core';

interface Meaning {
  readonly code: LeadershipErrorCode;
  /** What is wrong and what to do; the path stands in front. */
  readonly advice: string;
}

const meanings: Readonly<Record<string, Meaning>> = {
  EACCES: { code: 'unauthorized', advice: 'permission denied: every member needs to read, write and search it; run them all as one user' },
  EPERM: {
    code: 'unauthorized',
    advice: 'operation not permitted: every member needs to read, write and search it; run them all as one user',
  },
  EROFS: { code: 'unauthorized', advice: 'the file system is mounted read-only: use a directory that can be written' },
  ENOENT: { code: 'unreachable', advice: 'it was there and has gone: somebody removes it while it is in use' },
  ENOTDIR: { code: 'misconfigured-backend', advice: 'a part of it is no directory: correct the directory' },
  ELOOP: { code: 'misconfigured-backend', advice: 'its symbolic links run in a circle: correct the directory' },
  ENAMETOOLONG: { code: 'misconfigured-backend', advice: 'the path is too long: use a shorter directory' },
  EXDEV: { code: 'misconfigured-backend', advice: 'it spans two file systems: keep the whole directory on one' },
  ENOTSUP: { code: 'misconfigured-backend', advice: 'the file system cannot do this: use a directory on a local disk' },
  EOPNOTSUPP: { code: 'misconfigured-backend', advice: 'the file system cannot do this: use a directory on a local disk' },
  ENOSYS: { code: 'misconfigured-backend', advice: 'the file system cannot do this: use a directory on a local disk' },
  ENOSPC: { code: 'unreachable', advice: 'the disk is full: make room' },
  EDQUOT: { code: 'unreachable', advice: 'the disk quota is used up: make room' },
  EMFILE: { code: 'unreachable', advice: 'this process has too many files open: raise its limit (ulimit -n)' },
  ENFILE: { code: 'unreachable', advice: 'this host has too many files open: raise its limit' },
  EIO: { code: 'unreachable', advice: 'the disk fails to read or write' },
};

/** `error` as this library speaks of it; `path` is what was asked for. An error that is mapped already passes. */
export function fileError(error: unknown, path: string): LeadershipError {
  if (error instanceof LeadershipError) return error;
  const { code, advice } = meanings[codeOf(error) ?? ''] ?? { code: 'unreachable', advice: String(error) };
  return new LeadershipError(code, `${path}: ${advice}`, { cause: error });
}

/** The system's code for what went wrong, as in `ENOENT`. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** `value`, or `undefined` where it fails with one of `codes`; any other failure passes. */
export async function unless<T>(codes: readonly string[], value: Promise<T>): Promise<T | undefined> {
  try {
    return await value;
  } catch (error) {
    if (codes.includes(codeOf(error) ?? '')) return undefined;
    throw error;
  }
}

/** The codes for "there is no such file or directory". */
export const missing: readonly string[] = ['ENOENT', 'ENOTDIR'];

/** The codes for "you may not". */
export const forbidden: readonly string[] = ['EACCES', 'EPERM', 'EROFS'];
