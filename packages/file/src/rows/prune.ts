// Removes versions of rows that no listing needs any longer.
import { join } from 'node:path';
import type { Instant } from '@leadership/core/adapter';
import { disk } from '../disk/disk.ts';
import { syncDirectory } from '../disk/sync-directory.ts';
import { codeOf, missing, unless } from '../errors.ts';
import type { VersionFile, View } from './row-directory.ts';
import { separate } from './together.ts';
import { isBrief, textIn, versionOf } from './version-name.ts';

/** The versions that another member should have removed are removed later. */
const foreignFactor = 4;

/** When a member removes versions. */
export interface Pruning {
  readonly now: Instant;
  /**
   * How long a version is kept after it was replaced twice: longer than an exchange of any member.
   * Milliseconds.
   */
  readonly keptMs: number;
  /** Whether to go on: the disk may have more urgent calls. */
  readonly isIdle: () => boolean;
}

/** The result: the first removal that the system has not permitted, if there was one. */
export interface Pruned {
  readonly refusal?: unknown;
  /** Whether the disk had more urgent calls before the end. */
  readonly isPartial: boolean;
}

/**
 * Removes old versions in ascending order, so that none that stays is the successor of one that a
 * paused member may link again: if one may not be removed, neither are the later ones of its row. The
 * versions that stay are synced first, unless they may be lost with the power: renewals are not synced.
 */
export async function prune(directory: string, view: View, pruning: Pruning): Promise<Pruned> {
  const refusals: unknown[] = [];
  const isPartial =
    !(await pruneVersions(directory, view, pruning, refusals)) ||
    !(await pruneTogether(directory, view, pruning, refusals));
  return { isPartial, ...(refusals.length > 0 && { refusal: refusals[0] }) };
}

/** The codes of a file that may not be removed: the directory has the sticky bit, and the file another owner. */
const notPermitted: readonly string[] = ['EACCES', 'EPERM'];

/** Resolves with whether it was removed. */
async function isRemoved(removal: Promise<unknown>, refusals: unknown[]): Promise<boolean> {
  try {
    await removal;
    return true;
  } catch (error) {
    if (!notPermitted.includes(codeOf(error) ?? '')) throw error;
    refusals.push(error);
    return false;
  }
}

/** Resolves with whether it came to the end. */
async function pruneVersions(
  directory: string,
  view: View,
  pruning: Pruning,
  refusals: unknown[],
): Promise<boolean> {
  const old = Array.from(view.files.values())
    .filter((file) => isOld(view, file, pruning))
    .sort((a, b) => a.number - b.number);
  const lasting = new Set(old.map(({ row }) => row).filter((row) => !isBrief(row)));
  for (const row of lasting) {
    if (!pruning.isIdle()) return false;
    await syncNewest(directory, view.heads.get(row));
  }
  if (lasting.size > 0) await syncDirectory(directory);
  const kept = new Set<string>();
  for (const { row, file } of old) {
    const removal = (): Promise<unknown> => unless(missing, disk.unlink(join(directory, file)));
    if (!kept.has(row) && !(await isRemoved(removal(), refusals))) kept.add(row);
  }
  return true;
}

async function syncNewest(directory: string, head: VersionFile | undefined): Promise<void> {
  if (head === undefined) return;
  for (const kept of [versionOf(head.row, head.number - 1).file, head.file])
    await unless(missing, disk.sync(join(directory, kept)));
}

/** Removes old files with the texts of several versions. Resolves with whether it came to the end. */
async function pruneTogether(
  directory: string,
  view: View,
  pruning: Pruning,
  refusals: unknown[],
): Promise<boolean> {
  const { now, keptMs, isIdle } = pruning;
  for (const [name, { seenAt, isOwn }] of view.together) {
    if (now - seenAt < (isOwn ? keptMs : foreignFactor * keptMs)) continue;
    if (!isIdle()) return false;
    await isRemoved(
      separate(directory, name, (file) => view.files.has(file)),
      refusals,
    );
  }
  return true;
}

function isOld(view: View, file: VersionFile, { now, keptMs }: Pruning): boolean {
  const head = view.heads.get(file.row);
  const isRemoval = head?.content !== undefined && textIn(head.content) === null;
  const { seenAt, isOwn } = supersededBy(view, file, head, isRemoval) ?? {
    seenAt: now,
    isOwn: false,
  };
  return now - seenAt >= (isOwn ? keptMs : foreignFactor * keptMs);
}

/** Returns the file since which a version is no longer needed; `undefined` if it is. */
function supersededBy(
  { files }: View,
  file: VersionFile,
  head: VersionFile | undefined,
  isRemoval: boolean,
): VersionFile | undefined {
  // A version above the newest one that counts.
  if (head === undefined || file.number > head.number) return file;
  if (isRemoval) return head;
  if (file.number > head.number - 2) return undefined;
  return files.get(versionOf(file.row, file.number + 2).file) ?? file;
}
