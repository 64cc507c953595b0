// How long nobody leads after a crash, among members that elect among themselves: of three processes on one host the leader is killed
// with SIGKILL at a random moment between two of its renewals, and the time runs until another calls its subscriber with `leading`
// (both by the host's monotonic clock). Then one of the same name takes the dead one's place. It grants nothing for δ, as it does not
// know what it granted before; so long is waited, and a third more.
//
// The baseline is δ, which is T: at most 1.05 δ may pass.
import { setTimeout as pause } from 'node:timers/promises';
import { take } from '../measure/take.ts';
import { crash, type Election, successions } from '../process/successions.ts';
import type { Report } from '../report/figures.ts';
import { outageFigures } from '../report/outages.ts';
import { type Member, startMember } from './member.ts';
import { placesFor } from './places.ts';

/** How often, and under which T. */
export interface NerioFailoverOptions {
  readonly runs: number;
  readonly thresholdMs: number;
}

/** What half of the fail-overs are to stay within. In δ. */
const halfMax = 0.8;

/** Runs it. */
export async function nerioFailover({ runs, thresholdMs }: NerioFailoverOptions): Promise<Report> {
  const addresses = await placesFor(3);
  const free = Object.keys(addresses);
  const names = new Map<Member, string>();
  const election: Election<Member> = {
    members: free.length,
    start() {
      const name = free.pop() ?? '';
      const member = startMember({ addresses, member: name, thresholdMs, partitions: 1 });
      names.set(member, name);
      return member;
    },
    rest: () => pause(thresholdMs * (4 / 3 + Math.random())),
    async remove(leader) {
      const killedNs = await crash(leader);
      free.push(names.get(leader) ?? '');
      return killedNs;
    },
  };
  return report(await take(successions(election), runs), thresholdMs);
}

function report(outages: readonly number[], thresholdMs: number): Report {
  const figures = outageFigures('nerio-failover', outages, thresholdMs, 1.05);
  const { p50 } = figures;
  return {
    figures,
    against: 'δ, which is T; three members of one host',
    notes: [`p50 ${p50 <= halfMax * thresholdMs ? '≤' : '>'} ${halfMax} δ: ${(p50 / thresholdMs).toFixed(3)} δ`],
  };
}
