// Maps system errors to this library's errors. An error is final if only a person can fix it, and
// `unreachable` if it may pass with time.
import { LeadershipError, type LeadershipErrorCode } from '@leadership/core';

interface Meaning {
  readonly code: LeadershipErrorCode;
  /** Says what is wrong and how to fix it. The message names the path before it. */
  readonly advice: string;
}

const meanings: Readonly<Record<string, Meaning>> = {
  EACCES: {
    code: 'unauthorized',
    advice:
      'permission denied: each member needs to read, write and search it; run all members as one user',
  },
  EPERM: {
    code: 'unauthorized',
    advice:
      'operation not permitted: each member needs to read, write and search it; run all members as one user',
  },
  EROFS: {
    code: 'unauthorized',
    advice: 'the file system is mounted read-only: use a writable directory',
  },
  ENOENT: {
    code: 'unreachable',
    advice: 'it was removed while in use: find out which process removes it',
  },
  ENOTDIR: {
    code: 'misconfigured-backend',
    advice: 'a part of the path is not a directory: correct the directory',
  },
  ELOOP: {
    code: 'misconfigured-backend',
    advice: 'its symbolic links form a loop: correct the directory',
  },
  ENAMETOOLONG: {
    code: 'misconfigured-backend',
    advice: 'the path is too long: use a shorter directory',
  },
  EXDEV: {
    code: 'misconfigured-backend',
    advice: 'it spans two file systems: keep the whole directory on one file system',
  },
  ENOTSUP: {
    code: 'misconfigured-backend',
    advice: 'the file system does not support this operation: use a directory on a local disk',
  },
  EOPNOTSUPP: {
    code: 'misconfigured-backend',
    advice: 'the file system does not support this operation: use a directory on a local disk',
  },
  ENOSYS: {
    code: 'misconfigured-backend',
    advice: 'the file system does not support this operation: use a directory on a local disk',
  },
  ENOSPC: { code: 'unreachable', advice: 'the disk is full: free some space' },
  EDQUOT: { code: 'unreachable', advice: 'the disk quota is exceeded: free some space' },
  EMFILE: {
    code: 'unreachable',
    advice: 'this process has too many files open: raise its limit (ulimit -n)',
  },
  ENFILE: { code: 'unreachable', advice: 'this host has too many files open: raise its limit' },
  EIO: { code: 'unreachable', advice: 'the disk reported an I/O error: check the disk' },
};

/**
 * Maps a system error about `path` to a `LeadershipError`. Returns an error that is already mapped
 * unchanged.
 */
export function fileError(error: unknown, path: string): LeadershipError {
  if (error instanceof LeadershipError) return error;
  const { code, advice } = meanings[codeOf(error) ?? ''] ?? {
    code: 'unreachable',
    advice: String(error),
  };
  return new LeadershipError(code, `${path}: ${advice}`, { cause: error });
}

/**
 * Returns the code of a system error, as in `ENOENT`. In the modules of Jest, the errors of the system are
 * no instances of their `Error`.
 */
export function codeOf(error: unknown): string | undefined {
  return typeof error === 'object' && error !== null && 'code' in error
    ? String(error.code)
    : undefined;
}

/**
 * Resolves like `value`, or with `undefined` if it fails with one of `codes`. Other errors pass.
 */
export async function unless<T>(
  codes: readonly string[],
  value: Promise<T>,
): Promise<T | undefined> {
  try {
    return await value;
  } catch (error) {
    if (codes.includes(codeOf(error) ?? '')) return undefined;
    throw error;
  }
}

/** The codes of a missing file or directory. */
export const missing: readonly string[] = ['ENOENT', 'ENOTDIR'];

/** The codes of missing permission. */
export const forbidden: readonly string[] = ['EACCES', 'EPERM', 'EROFS'];
