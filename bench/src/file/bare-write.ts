import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { msBetween } from '../measure/ms-between.ts';
import type { Member } from './member.ts';

/**
 * The times of one write without any protocol until another process noticed it, in milliseconds.
 */
export interface BareWrite {
  /** From the start of the write to the watcher's notification. */
  readonly totalMs: number;
  /** From linking the finished file into the directory to the watcher's notification. */
  readonly watchMs: number;
}

/**
 * Returns a function that makes one process write a file that the other process watches, on the
 * disk that the members use.
 */
export async function bareWrites(
  home: string,
  writer: Member,
  watcher: Member,
): Promise<() => Promise<BareWrite>> {
  const directory = await mkdtemp(join(home, 'bare-'));
  const watching = watcher.next('watching');
  watcher.send({ kind: 'watch', directory });
  await watching;
  let count = 0;
  return async () => {
    count += 1;
    const both = Promise.all([writer.next('wrote'), watcher.next('noticed')]);
    writer.send({ kind: 'write', directory, name: `${count}.json` });
    const [{ beganNs, placedNs }, { atNs }] = await both;
    return { totalMs: msBetween(beganNs, atNs), watchMs: msBetween(placedNs, atNs) };
  };
}
