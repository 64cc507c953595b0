import type { Layout } from './layout.ts';
import { leftToMembers } from './left-to-members.ts';
import { makeDirectory } from './make-directory.ts';
import { refuseNetwork } from './network-file-system.ts';
import { probeLinks } from './probe-links.ts';
import type { Scratch } from './scratch.ts';

/**
 * Creates the directory of a group and checks that it can hold a ledger.
 * @param writes - whether this member will write; an observer needs no write permission
 * @throws LeadershipError `misconfigured-backend` if it cannot; system errors if that is unknown
 */
export async function prepare(layout: Layout, scratch: Scratch, writes: boolean): Promise<void> {
  const made = (): Promise<void> => makeDirectory(layout.group);
  await (writes ? made() : leftToMembers(layout.group, made));
  await refuseNetwork(layout.group);
  if (!writes) return;
  await probeLinks(scratch, layout.group);
  await scratch.sweep();
}
