import { makeAsObserver } from './disk/make-as-observer.ts';
import { makeDirectory } from './disk/make-directory.ts';
import { probeLinks } from './disk/probe-links.ts';
import type { Scratch } from './disk/scratch.ts';
import { refuseNetwork } from './mount/network-file-system.ts';
import type { Layout } from './register/layout.ts';

/**
 * Creates the directory of a group and checks that it can hold a ledger.
 * @param writes - whether this member will write; an observer needs no write permission
 * @throws LeadershipError `misconfigured-backend` if it cannot; system errors if that is unknown
 */
export async function prepare(layout: Layout, scratch: Scratch, writes: boolean): Promise<void> {
  const made = (): Promise<void> => makeDirectory(layout.group);
  await (writes ? made() : makeAsObserver(layout.group, made));
  await refuseNetwork(layout.group);
  if (!writes) return;
  await probeLinks(scratch, layout.group);
  await scratch.sweep();
}
