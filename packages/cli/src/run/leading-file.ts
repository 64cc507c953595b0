// The files in which `leadership run` states that it leads, so that `leadership resign` on the same
// host finds its process. They decide nothing: a wrong file leads to a signal that is ignored.
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { LeadershipError } from '@leadership/core';
import { identityOf } from '@leadership/core/internal/guard';
import { folderVariable } from '../environment/variables.ts';

/** How often a file is written again: some systems delete temporary files after days. Milliseconds. */
const refreshMs = 3_600_000;

/** The permissions of others to write. */
const othersWrite = 0o022;

/** A term, as the backend shows it to every process. */
export interface LedTerm {
  readonly group: string;
  readonly partition: number;
  readonly token: string;
}

/** The process that leads in a term. */
export interface LeadingProcess extends LedTerm {
  readonly pid: number;
  /** The namespace of the id and the start of the process, where the kernel shows them. */
  readonly identity?: string;
}

/** Returns the folder of the files. Processes with the same user and folder find each other. */
export function leadingFolder(): string {
  return process.env[folderVariable] || join(tmpdir(), `leadership-run-${userInfo().uid}`);
}

/**
 * Writes the file of a term that this process leads. Disposing removes it.
 *
 * @throws Error if the folder cannot be written, or may be written by other users
 */
export function announceLeading(term: LedTerm): Disposable {
  const folder = leadingFolder();
  const path = join(folder, `${process.pid}-${term.token}.json`);
  const identity = ownIdentity('self');
  const text = JSON.stringify({ ...term, pid: process.pid, ...(identity && { identity }) });
  const write = (): void => writeFile(folder, path, text);
  // Removes files of processes that were killed.
  attempt(() => findLeading(term));
  write();
  const refreshing = setInterval(() => attempt(write), refreshMs).unref();
  return {
    [Symbol.dispose](): void {
      clearInterval(refreshing);
      attempt(() => unlinkSync(path));
      // Other processes may have files in it.
      attempt(() => rmdirSync(folder));
    },
  };
}

/** Returns the running process of this host and user that leads in this term. Removes old files. */
export function findLeading(term: LedTerm): LeadingProcess | undefined {
  const folder = leadingFolder();
  const names = attempt(() => readdirSync(folder)) ?? [];
  // Root may read the files of other users, but writes into no folder of theirs: a link in it
  // could lead to any file.
  if (names.length > 0 && userInfo().uid !== 0) checkOwner(folder);
  const running = names
    .filter((name) => name.endsWith('.json'))
    .map((name) => runningIn(join(folder, name)));
  return running.find(
    (one) =>
      one?.group === term.group && one.partition === term.partition && one.token === term.token,
  );
}

function writeFile(folder: string, path: string, text: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  checkOwner(folder);
  // Renamed into place, so that no process reads half a file.
  writeFileSync(`${path}.new`, text, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

/** Another user could make the folder first, and put files into it. */
function checkOwner(folder: string): void {
  const status = lstatSync(folder);
  const isOwn = status.uid === userInfo().uid;
  if (status.isDirectory() && isOwn && (status.mode & othersWrite) === 0) return;
  throw new LeadershipError(
    'invalid-options',
    `${folder} must be a directory that only this user may write; set ${folderVariable} to another one`,
  );
}

/** Reads a file. Removes it if its process has ended. */
function runningIn(path: string): LeadingProcess | undefined {
  const found = attempt(() => JSON.parse(readFileSync(path, 'utf8')));
  const { pid, identity } = Object(found) as Partial<LeadingProcess>;
  if (pid === undefined || !Number.isSafeInteger(pid) || pid <= 0) return undefined;
  const isSame = identity === undefined ? exists(pid) : ownIdentity(pid) === identity;
  if (isSame) return found;
  if (isOfThisNamespace(identity)) attempt(() => unlinkSync(path));
  return undefined;
}

function ownIdentity(pid: number | 'self'): string | undefined {
  const found = identityOf(pid);
  return found && `${found.namespace} ${found.startedAt}`;
}

/** In the namespace of another container, the id may be that of a running process. */
function isOfThisNamespace(identity: string | undefined): boolean {
  const namespace = identityOf('self')?.namespace;
  return identity === undefined || namespace === undefined || identity.startsWith(namespace);
}

function exists(pid: number): boolean {
  return attempt(() => process.kill(pid, 0)) === true;
}

function attempt<T>(action: () => T): T | undefined {
  try {
    return action();
  } catch {
    return undefined;
  }
}
