// Measures how long a group on gossip has no leader after a crash. Of some processes on one host, the
// first of which vote, the benchmark kills the leader with SIGKILL at a random moment. The time ends
// when another process calls its subscriber with `leading`. Both instants are read from the host's
// monotonic clock. Then a member with the same name replaces the killed one. The new member supports
// nobody for P, because it does not know its earlier votes (S4). The benchmark therefore waits for
// more than P before the next crash.
//
// The baseline is P, which is T. The limit holds for the median: P, four intervals until the dead
// member is suspected (S2), and three for the votes, the claim and the votes that accept it.
import { setTimeout as pause } from 'node:timers/promises';
import { take } from '../measure/take.ts';
import { crash, type Election, successions } from '../process/successions.ts';
import type { Report } from '../report/figures.ts';
import { outageFigures } from '../report/outages.ts';
import { significant } from '../report/significant.ts';
import { namesFor } from './crowd.ts';
import { type Member, startMember } from './member.ts';

/** The name and the number of runs, the size of the group, T, and the interval of gossip. */
export interface GossipFailoverOptions {
  readonly name: string;
  readonly runs: number;
  readonly members: number;
  /** The first members, which vote. */
  readonly voters: number;
  readonly thresholdMs: number;
  readonly intervalMs: number;
}

const detectionIntervals = 4;
const messageIntervals = 3;

/** Runs the benchmark. */
export async function gossipFailover({
  name: benchmark,
  runs,
  members,
  voters: voterCount,
  thresholdMs,
  intervalMs,
}: GossipFailoverOptions): Promise<Report> {
  const free = [...(await namesFor(members))];
  const voters = free.slice(0, voterCount);
  const names = new Map<Member, string>();
  const election: Election<Member> = {
    members: free.length,
    start() {
      const name = free.pop() ?? '';
      const member = startMember({
        voters,
        member: name,
        thresholdMs,
        intervalMs,
        membersMax: members,
      });
      names.set(member, name);
      return member;
    },
    rest: () => pause(thresholdMs * (5 / 3 + Math.random())),
    async remove(leader) {
      const killedNs = await crash(leader);
      free.push(names.get(leader) ?? '');
      return killedNs;
    },
  };
  const outages = await take(successions(election), runs);
  const limit = 1 + ((detectionIntervals + messageIntervals) * intervalMs) / thresholdMs;
  const figures = outageFigures(benchmark, outages, thresholdMs, limit);
  const { p50, p99 } = figures;
  return {
    figures: { ...figures, ratio: p50 / thresholdMs },
    against: `P, which is T; ${members} members of one host, of which ${voterCount} vote`,
    notes: [
      `limit for p50: P, ${detectionIntervals} intervals of ${intervalMs} ms until the suspicion, and ${messageIntervals} for messages`,
      `p99 ${significant(p99 / thresholdMs)} P`,
    ],
  };
}
