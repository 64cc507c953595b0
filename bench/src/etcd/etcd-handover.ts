// Measures an orderly hand-over on etcd. Of two member processes, the leader resigns without work to
// drain. The time runs from the call of `resign()` until the other process calls its subscriber with
// `leading`. A member that has resigned does not claim the partition for 2 T (L9), so the benchmark
// waits that long between hand-overs.
//
// The baseline is a durable write of one key over a separate connection, measured in the same run.
import { setTimeout as pause } from 'node:timers/promises';
import { median, quantile } from '../measure/statistics.ts';
import { abstainsThresholds, handOvers } from '../process/hand-overs.ts';
import type { Report } from '../report/figures.ts';
import { type Member, openEnvironment } from './environment.ts';

/** The number of runs, and T. */
export interface EtcdHandoverOptions {
  readonly runs: number;
  readonly thresholdMs: number;
}

/** The target, in round trips: the release, its notification with a read, and the claim. */
const tripsMax = 3;
const tripsPerRun = 4;

/** Runs the benchmark. */
export async function etcdHandover({ runs, thresholdMs }: EtcdHandoverOptions): Promise<Report> {
  await using environment = await openEnvironment();
  const trips: number[] = [];
  const handovers = await handOvers<Member>(
    {
      start: (name) =>
        environment.start({ group: 'handover', member: `m-${name}`, thresholdMs, partitions: 1 }),
      // A random delay, because otherwise members would always resign at the same point of their
      // polling interval.
      async rest() {
        await pause((abstainsThresholds + Math.random()) * thresholdMs);
        trips.push(...(await environment.trips(tripsPerRun)));
      },
    },
    runs,
  );
  const [p50, tripMs] = [median(handovers), median(trips)];
  return {
    figures: {
      ...{ name: 'etcd-handover', unit: 'ms', runs: handovers.length },
      ...{ p50, p99: quantile(handovers, 0.99), baseline: tripMs },
      ...{ ratio: p50 / tripMs, limit: tripsMax, better: 'lower' },
    },
    against: `a durable write of a key; etcd of this host, one server; T ${thresholdMs} ms`,
    notes: [],
  };
}
