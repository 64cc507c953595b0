// Measures how long a group on a server has no leader after a crash. Of three member processes, the
// benchmark kills the leader with SIGKILL at a random moment between two renewals. The time ends
// when another process calls its subscriber with `leading`. Both instants are read from the host's
// monotonic clock. Then a new member replaces the killed one.
//
// The baseline is T as configured. Members read every T/4, so the limit is 1.05 T plus T/4. Other
// implementations on the same server are killed in the same way, in the same run.
import { setTimeout as pause } from 'node:timers/promises';
import { median, quantile } from '../measure/statistics.ts';
import { take } from '../measure/take.ts';
import { crash, successions } from '../process/successions.ts';
import type { MemberProcess } from '../process/tracked-member.ts';
import type { Report } from '../report/figures.ts';
import { halfBelowThreshold, outageFigures } from '../report/outages.ts';

/** The number of runs, and T. */
export interface FailoverOptions {
  readonly runs: number;
  readonly thresholdMs: number;
}

/** The options of a member process, beside the server. */
export interface MemberOptions {
  readonly group: string;
  readonly member: string;
  readonly thresholdMs: number;
  readonly partitions: number;
}

/** An implementation on the server: ours, or one beside it. */
export interface Implementation<Member> {
  /** Its name, and its settings. */
  readonly name: string;
  start(options: MemberOptions): Member;
}

/** The target beside the interval of polls, in multiples of T. */
const leaseThresholds = 1.05;
/** The polling interval of members, in multiples of T. */
const pollThresholds = 0.25;

/** Runs the benchmark. `ours` has the name of the benchmark. */
export async function failover<Member extends MemberProcess>(
  server: string,
  ours: Implementation<Member>,
  others: readonly Implementation<Member>[],
  options: FailoverOptions,
): Promise<Report> {
  const [own, ...beside] = await Promise.all([ours, ...others].map((one) => outages(one, options)));
  const limit = leaseThresholds + pollThresholds;
  const figures = outageFigures(ours.name, own ?? [], options.thresholdMs, limit);
  return {
    figures,
    against: `T; ${server}`,
    notes: [halfBelowThreshold(figures), `limit: ${leaseThresholds} T and a poll of T/4`],
    peers: others.map(({ name }, index) => {
      const seen = beside[index] ?? [];
      return { name, unit: 'ms', runs: seen.length, p50: median(seen), p99: quantile(seen, 0.99) };
    }),
  };
}

function outages<Member extends MemberProcess>(
  { name, start }: Implementation<Member>,
  { runs, thresholdMs }: FailoverOptions,
): Promise<readonly number[]> {
  let born = 0;
  return take(
    successions({
      members: 3,
      start() {
        born += 1;
        return start({ group: 'failover', member: `${name}-${born}`, thresholdMs, partitions: 1 });
      },
      rest: () => pause(thresholdMs * (1 + Math.random() / 3)),
      remove: crash,
    }),
    runs,
  );
}
