// Tracks which members are alive. Each candidate keeps a file with a counter that it increments
// every T. A member whose counter has not changed for a while on the reader's own clock counts as
// gone. A member that leaves removes its file. Presence only advises the placement; leases ensure
// safety.
import { join } from 'node:path';
import type { Presence } from '@leadership/core/adapter';
import { sleep } from '@leadership/core/adapter';
import { jsonFields } from '@leadership/core/internal';
import { disk } from '../disk/disk.ts';
import { fileNameOf } from '../disk/file-name.ts';
import { makeDirectory } from '../disk/make-directory.ts';
import { missing, unless } from '../errors.ts';
import { recurringProblem } from '../recurring-problem.ts';
import type { Store } from '../store.ts';
import { followMemberFiles, type MemberFile, removeMemberFile } from './member-files.ts';

/** A member counts as gone after two late beats. In T. */
const staleThresholds = 2.5;
/**
 * The file of a member that has been gone for this long is removed. A member that was only paused
 * writes it again. In T.
 */
const sweptThresholds = 10;

/** Creates the presence of members in the files of the group. */
export function filePresence(store: Store): Presence {
  const { layout, thresholdMs, busy, host } = store;
  const directory = layout.presence;
  const name = `${fileNameOf(host.incarnation)}.json`;
  return {
    announce: (signal) => busy.track(announce(store, name, signal)),
    async *present(signal) {
      const unreadable = recurringProblem(host, directory);
      while (!signal.aborted) {
        try {
          yield* follow(store, unreadable.mend, signal);
        } catch (error) {
          unreadable.raise(error);
          await sleep(store.clock, thresholdMs / 2, signal);
        }
      }
      unreadable.mend();
    },
  };
}

/** Yields the incarnations that are alive, whenever they change. Calls `read` after each read. */
async function* follow(
  store: Store,
  read: () => void,
  signal: AbortSignal,
): AsyncGenerator<readonly string[]> {
  const { thresholdMs, busy, layout } = store;
  const directory = layout.presence;
  const options = { directory, periodMs: thresholdMs, unwatchedMs: thresholdMs, changes: false };
  let told: string | undefined;
  for await (const files of followMemberFiles(store, options, signal)) {
    read();
    const incarnations = files
      .filter((file) => isAlive(file, staleThresholds * thresholdMs))
      .flatMap(incarnationIn);
    const now = incarnations.sort().join('\n');
    if (now !== told) yield incarnations;
    told = now;
    await busy.track(sweep(directory, files, sweptThresholds * thresholdMs));
  }
}

/**
 * Writes a beat every T. After a failed beat the placement treats this member as gone, and the
 * reported problem says why.
 */
async function announce(store: Store, name: string, signal: AbortSignal): Promise<void> {
  const directory = store.layout.presence;
  const unwritable = recurringProblem(store.host, directory);
  for (let count = 1; !signal.aborted; count += 1) {
    await beat(store, name, count).then(unwritable.mend, unwritable.raise);
    await sleep(store.clock, store.thresholdMs, signal);
  }
  unwritable.mend();
  await removeMemberFile(directory, name).catch(() => undefined);
}

/**
 * Overwrites the last beat in place. All beats have the same length, so that no reader sees a torn
 * one.
 */
async function beat({ layout, scratch, host }: Store, name: string, count: number): Promise<void> {
  const { member, incarnation } = host;
  const path = join(layout.presence, name);
  const text = JSON.stringify({ incarnation, member, beat: String(count).padStart(12, '0') });
  const write = (): Promise<boolean> =>
    disk.write(path, text, { flag: 'r+', durable: false }).then(() => true);
  if (await unless(missing, write())) return;
  await makeDirectory(layout.presence);
  const aside = await scratch.put(text, false);
  await disk.rename(aside, path).finally(() => scratch.drop(aside));
}

function isAlive({ since, readAt }: MemberFile, staleMs: number): boolean {
  return readAt - since < staleMs;
}

function incarnationIn({ text }: MemberFile): readonly string[] {
  const incarnation = jsonFields(text)?.['incarnation'];
  return typeof incarnation === 'string' ? [incarnation] : [];
}

async function sweep(
  directory: string,
  files: readonly MemberFile[],
  sweptMs: number,
): Promise<void> {
  for (const file of files)
    if (!isAlive(file, sweptMs)) await removeMemberFile(directory, file.name);
}
