import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { msBetween } from '../measure/ms-between.ts';
import type { Member } from './member.ts';

/** One write without any protocol, and how long another process took to notice it. Milliseconds. */
export interface BareWrite {
  /** From before the write to the watcher's notification. */
  readonly totalMs: number;
  /** From putting the file in place to the watcher's notification. */
  readonly watchMs: number;
}

/** Writes of one process that another watches, on the very disk that the members use. */
export async function bareWrites(home: string, writer: Member, watcher: Member): Promise<() => Promise<BareWrite>> {
  const directory = await mkdtemp(join(home, 'bare-'));
  const watching = watcher.next('watching');
  watcher.tell({ kind: 'watch', directory });
  await watching;
  let count = 0;
  return async () => {
    count += 1;
    const both = Promise.all([writer.next('wrote'), watcher.next('noticed')]);
    writer.tell({ kind: 'write', directory, name: `${count}.json` });
    const [{ beganNs, placedNs }, { atNs }] = await both;
    return { totalMs: msBetween(beganNs, atNs), watchMs: msBetween(placedNs, atNs) };
  };
}
