// Releases the leases of a wrapper that is dead, and whose command has ended. The watchdog imports this
// file only then, because a backend takes long to load.
import { reportDeath } from '@leadership/core/internal/guard';
import { openSource } from '../open-source.ts';
import { say, stderrLog } from '../say.ts';
import type { MemberSpec } from './messages.ts';

/**
 * Releases the leases of the member, which must be dead like its command (M10). Resolves once nothing
 * is left to release, or once it is known that nothing can be. The source stays open: the process of the
 * watchdog ends next.
 */
export async function releaseDead(spec: MemberSpec): Promise<void> {
  const { member } = spec;
  try {
    await release(spec);
    say(
      `member ${member} is dead, and its command has ended: reported, so that its leases are free`,
    );
  } catch (error) {
    say(`cannot release the leases of the dead member ${member}, so they lapse: ${String(error)}`);
  }
}

async function release({ url, pairs, partitions, incarnation }: MemberSpec): Promise<void> {
  const source = await openSource(url, pairs, {
    campaign: false,
    log: stderrLog,
    ...(partitions !== undefined && { partitions }),
  });
  await reportDeath(source, incarnation);
}
