import { crash, successions } from '../process/successions.ts';
import type { GoneliMeasure } from './measure-beside.ts';
import type { GoneliMember } from './member.ts';
import { settled } from './pause-after-join.ts';

/**
 * Measures how long a group of three has no leader after the leader is killed. The session timeout
 * detects the crash.
 */
export const goneliCrashes: GoneliMeasure = outages('SIGKILL to the next leader', crash);

/**
 * Measures how long a group of three has no leader after the leader closes. goNELI has no other way
 * to hand over.
 */
export const goneliCloses: GoneliMeasure = outages('close to the next leader', async (leader) => {
  const closing = leader.next('closing');
  leader.send({ kind: 'close' });
  return BigInt((await closing).atNs);
});

function outages(what: string, remove: (leader: GoneliMember) => Promise<bigint>): GoneliMeasure {
  return {
    what,
    unit: 'ms',
    values: ({ sessionMs, start }) =>
      successions({ members: 3, start, rest: () => settled(sessionMs), remove }),
  };
}
