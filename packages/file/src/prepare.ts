import type { Layout } from './layout.ts';
import { leftToMembers } from './left-to-members.ts';
import { makeDirectory } from './make-directory.ts';
import { refuseNetwork } from './network-file-system.ts';
import { probeLinks } from './probe-links.ts';
import type { Scratch } from './scratch.ts';

/**
 * Makes the group's directory and checks that a ledger can be kept there.
 * @param writes - whether this member will write: one that only observes needs no right to
 * @throws LeadershipError `misconfigured-backend` where it cannot; system errors where it is not known
 */
export async function prepare(layout: Layout, scratch: Scratch, writes: boolean): Promise<void> {
  const made = (): Promise<void> => makeDirectory(layout.group);
  await (writes ? made() : leftToMembers(layout.group, made));
  await refuseNetwork(layout.group);
  if (!writes) return;
  await probeLinks(scratch, layout.group);
  await scratch.sweep();
}
