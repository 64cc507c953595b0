// Stores lease requests (L7) as files. The watch of the leaseholder reports them within a
// millisecond. The requesting member repeats its request every T/4, and removes the file when it
// stops asking. The file of a crashed member is removed by a member that has read it unchanged for
// 2T.
import { join } from 'node:path';
import type { Instant, LeaseRequest, LeaseRequests } from '@leadership/core/adapter';
import { jsonFields } from '@leadership/core/internal';
import { disk } from '../disk/disk.ts';
import { fileNameOf } from '../disk/file-name.ts';
import { makeDirectory } from '../disk/make-directory.ts';
import { fileError, missing, unless } from '../errors.ts';
import type { Store } from '../store.ts';
import { followMemberFiles, type MemberFile, removeMemberFile } from './member-files.ts';

/** Lease requests in files, with a function that withdraws this member's own. */
export interface FileLeaseRequests extends LeaseRequests {
  /** Removes the pending requests of this member. */
  close(): Promise<void>;
}

/** The interval at which leftover files are searched. In T. */
const looksThresholds = 0.5;
/** A request that its member has not repeated for this long is withdrawn (L7). In T. */
const ownThresholds = 0.5;
/** A request that was not repeated for this long belongs to a crashed member. In T. */
const leftoverThresholds = 2;

/** Creates the lease requests in the files of the group. */
export function fileLeaseRequests(store: Store): FileLeaseRequests {
  const directory = store.layout.wants;
  const own = new Map<string, Instant>();
  return {
    async send(request, signal) {
      await store.busy.track(ask(store, own, request, signal)).catch((error: unknown) => {
        throw fileError(error, directory);
      });
    },
    async *received(signal) {
      const following = {
        directory,
        periodMs: looksThresholds * store.thresholdMs,
        unwatchedMs: store.pollMs,
        changes: true,
      };
      for await (const files of followMemberFiles(store, following, signal)) {
        yield* files.filter((file) => !own.has(file.name)).flatMap(toRequest);
        await store.busy.track(sweep(store, own, files));
      }
    },
    async close() {
      await Promise.all([...own.keys()].map((name) => removeMemberFile(directory, name)));
    },
  };
}

async function ask(
  { layout, scratch, clock }: Store,
  own: Map<string, Instant>,
  request: LeaseRequest,
  signal: AbortSignal,
): Promise<void> {
  const name = `${request.partition}.${fileNameOf(request.incarnation)}.json`;
  const aside = await scratch.put(JSON.stringify(request), false);
  try {
    if (signal.aborted) return;
    own.set(name, clock.now());
    await moveInto(layout.wants, aside, name);
  } finally {
    await scratch.drop(aside);
  }
}

async function moveInto(directory: string, path: string, name: string): Promise<void> {
  const move = (): Promise<boolean> => disk.rename(path, join(directory, name)).then(() => true);
  if (await unless(missing, move())) return;
  await makeDirectory(directory);
  await move();
}

/** Parses the request in a file that has changed since it was last read. */
function toRequest({
  text,
  since,
  readAt,
}: MemberFile): readonly (LeaseRequest & { readonly receivedAt: Instant })[] {
  const { partition, id, incarnation, member, thresholdMs } =
    (since === readAt && jsonFields(text)) || {};
  const isRequest =
    Number.isSafeInteger(partition) &&
    [id, incarnation, member].every((word) => typeof word === 'string');
  return isRequest && Number.isFinite(thresholdMs)
    ? [
        { partition, id, incarnation, member, thresholdMs, receivedAt: readAt } as LeaseRequest & {
          readonly receivedAt: Instant;
        },
      ]
    : [];
}

async function sweep(
  { layout, thresholdMs }: Store,
  own: Map<string, Instant>,
  files: readonly MemberFile[],
): Promise<void> {
  for (const { name, since, readAt } of files) {
    const askedAt = own.get(name);
    const isOver =
      askedAt === undefined
        ? readAt - since > leftoverThresholds * thresholdMs
        : readAt - askedAt > ownThresholds * thresholdMs;
    if (!isOver) continue;
    own.delete(name);
    await removeMemberFile(layout.wants, name);
  }
}
