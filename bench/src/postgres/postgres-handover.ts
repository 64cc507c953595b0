// Measures an orderly hand-over on Postgres. Of two member processes, the leader resigns without
// work to drain. The time runs from the call of `resign()` until the other process calls its
// subscriber with `leading`. A member that has resigned does not claim the partition for 2 T (L9),
// so the benchmark waits that long between hand-overs.
//
// The baseline is a durable update of one row over a separate connection, measured in the same run.
// At the same time, a loop over an advisory lock hands over: its successor polls every T/4.
import { setTimeout as pause } from 'node:timers/promises';
import { median, quantile } from '../measure/statistics.ts';
import { abstainsThresholds, handOvers } from '../process/hand-overs.ts';
import type { Report } from '../report/figures.ts';
import { type Environment, type Member, openEnvironment } from './environment.ts';

/** The number of runs, and T. */
export interface PostgresHandoverOptions {
  readonly runs: number;
  readonly thresholdMs: number;
}

/** The target, in round trips: the release, its notification with a read, and the claim. */
const tripsMax = 3;
const tripsPerRun = 4;

/** Runs the benchmark. */
export async function postgresHandover(options: PostgresHandoverOptions): Promise<Report> {
  await using environment = await openEnvironment();
  const trips: number[] = [];
  const queries: number[] = [];
  const [ours, advisory] = await Promise.all([
    exchanged(environment, 'postgres', options, async () => {
      const { query, update } = await environment.trips(tripsPerRun);
      trips.push(...update);
      queries.push(...query);
    }),
    exchanged(environment, 'advisory', options),
  ]);
  const [p50, tripMs] = [median(ours), median(trips)];
  return {
    figures: {
      ...{ name: 'postgres-handover', unit: 'ms', runs: ours.length },
      ...{ p50, p99: quantile(ours, 0.99), baseline: tripMs },
      ...{ ratio: p50 / tripMs, limit: tripsMax, better: 'lower' },
    },
    against: `a durable update; Postgres of this host; T ${options.thresholdMs} ms`,
    notes: [`a query without a table: p50 ${median(queries).toFixed(2)} ms`],
    peers: [
      {
        name: 'advisory lock, tried every T/4',
        ...{ unit: 'ms', runs: advisory.length },
        ...{ p50: median(advisory), p99: quantile(advisory, 0.99) },
      },
    ],
  };
}

function exchanged(
  environment: Environment,
  kind: 'postgres' | 'advisory',
  { runs, thresholdMs }: PostgresHandoverOptions,
  beside: () => Promise<void> = () => Promise.resolve(),
): Promise<readonly number[]> {
  return handOvers<Member>(
    {
      start: (name) =>
        environment.start(kind, {
          ...{ group: 'handover', member: `${kind}-${name}`, thresholdMs, partitions: 1 },
        }),
      // A random delay, because otherwise members would always resign at the same point of their
      // polling interval.
      async rest() {
        await pause((abstainsThresholds + Math.random()) * thresholdMs);
        await beside();
      },
    },
    runs,
  );
}
