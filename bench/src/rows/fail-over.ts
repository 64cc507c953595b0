// Measures how long a group on a server has no leader after a crash. Of three member processes, the
// benchmark kills the leader with SIGKILL at a random moment between two renewals. The time ends
// when another process calls its subscriber with `leading`. Both instants are read from the host's
// monotonic clock. Then a new member replaces the killed one.
//
// The baseline is T as configured. Members read every T/4, so the limit is 1.05 T plus T/4. Other
// implementations on the same server are killed in the same way, in the same run.
import { setTimeout as pause } from 'node:timers/promises';
import { take } from '../measure/take.ts';
import { crash, successions } from '../process/successions.ts';
import { comparisonOf } from '../report/comparison.ts';
import type { Report } from '../report/figures.ts';
import { halfBelowThreshold, outageFigures } from '../report/outages.ts';
import type { Implementation, OpenStore } from './store.ts';

/** The number of runs, and T. */
export interface FailoverOptions {
  readonly runs: number;
  readonly thresholdMs: number;
}

/** The target beside the interval of polls, in multiples of T. */
const leaseThresholds = 1.05;
/** The polling interval of members, in multiples of T. */
const pollThresholds = 0.25;

/** Runs the benchmark. */
export async function failover(open: OpenStore, options: FailoverOptions): Promise<Report> {
  await using store = await open();
  const { kind, name, ours, peers } = store;
  const [own, ...beside] = await Promise.all([ours, ...peers].map((one) => outages(one, options)));
  const limit = leaseThresholds + pollThresholds;
  const figures = outageFigures(`${kind}-failover`, own ?? [], options.thresholdMs, limit);
  return {
    figures,
    against: `T; ${name}`,
    notes: [halfBelowThreshold(figures), `limit: ${leaseThresholds} T and a poll of T/4`],
    peers: peers.map((peer, index) => comparisonOf(peer.name, 'ms', beside[index] ?? [])),
  };
}

function outages(
  { name, start }: Implementation,
  { runs, thresholdMs }: FailoverOptions,
): Promise<readonly number[]> {
  let started = 0;
  return take(
    successions({
      members: 3,
      start() {
        started += 1;
        return start({
          group: 'failover',
          member: `${name}-${started}`,
          thresholdMs,
          partitions: 1,
        });
      },
      rest: () => pause(thresholdMs * (1 + Math.random() / 3)),
      remove: crash,
    }),
    runs,
  );
}
