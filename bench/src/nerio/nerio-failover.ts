// Measures how long a Nerio group has no leader after a crash. Of three processes on one host, the
// benchmark kills the leader with SIGKILL at a random moment between two renewals. The time ends
// when another process calls its subscriber with `leading`. Both instants are read from the host's
// monotonic clock. Then a member with the same name replaces the killed one. The new member grants
// nothing for δ, because it does not know its previous grants. The benchmark therefore waits for at
// least 4/3 δ before the next crash.
//
// The baseline is δ, which is T. The limit is 1.05 δ.
import { setTimeout as pause } from 'node:timers/promises';
import { take } from '../measure/take.ts';
import { crash, type Election, successions } from '../process/successions.ts';
import type { Report } from '../report/figures.ts';
import { outageFigures } from '../report/outages.ts';
import { freeAddresses } from './free-addresses.ts';
import { type Member, startMember } from './member.ts';

/** The number of runs, and T. */
export interface NerioFailoverOptions {
  readonly runs: number;
  readonly thresholdMs: number;
}

/** The target for the median, in multiples of δ. */
const halfMax = 0.8;

/** Runs the benchmark. */
export async function nerioFailover({ runs, thresholdMs }: NerioFailoverOptions): Promise<Report> {
  const addresses = await freeAddresses(3);
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
    notes: [
      `p50 ${p50 <= halfMax * thresholdMs ? '≤' : '>'} ${halfMax} δ: ${(p50 / thresholdMs).toFixed(3)} δ`,
    ],
  };
}
