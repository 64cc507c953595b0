// Measures an orderly hand-over on a broker. Of two member processes, the leader resigns without
// work to drain. The time runs from the call of `resign()` until the other process calls its
// subscriber with `leading`. A member that has resigned does not claim the partition for 2 T (L9),
// so the benchmark waits that long between hand-overs. At the same time, goNELI leaders close.
//
// The baseline is one round trip, measured before each hand-over: one connection produces a record
// and another fetches it.
import { setTimeout as pause } from 'node:timers/promises';
import { type GoneliResults, measureBesideGoneli } from '../goneli/measure-beside.ts';
import { goneliCloses } from '../goneli/outages.ts';
import { median, quantile } from '../measure/statistics.ts';
import { type Exchange, handOvers, restThresholds } from '../process/hand-overs.ts';
import type { Report } from '../report/figures.ts';
import { openEcho } from './echo.ts';
import { type Environment, openEnvironment } from './environment.ts';
import { type Member, startMember } from './member.ts';

/** The number of runs, and T. */
export interface KafkaHandoverOptions {
  readonly runs: number;
  readonly thresholdMs: number;
}

/** The limit for the median, in round trips. */
const tripsMax = 3;
/**
 * The number of round trips before each hand-over. Both follow the same pause, so that caches are
 * equally cold.
 */
const tripsPerRun = 1;

/** Runs the benchmark. */
export async function kafkaHandover(options: KafkaHandoverOptions): Promise<Report> {
  await using environment = await openEnvironment();
  const { ours, side } = await measureBesideGoneli(environment, goneliCloses, () =>
    measured(environment, options),
  );
  return report(environment, ours, side);
}

interface HandOvers {
  readonly ms: readonly number[];
  readonly trips: readonly number[];
}

async function measured(
  environment: Environment,
  { runs, thresholdMs }: KafkaHandoverOptions,
): Promise<HandOvers> {
  await using echo = await openEcho(environment);
  const topic = environment.named('handover');
  const trips: number[] = [];
  const exchange: Exchange<Member> = {
    start: (member) =>
      startMember({ brokers: environment.brokers, topic, member, thresholdMs, partitions: 1 }),
    async rest() {
      await pause(restThresholds * thresholdMs);
      trips.push(...(await echo.roundTrips(tripsPerRun)));
    },
  };
  return { ms: await handOvers(exchange, runs), trips };
}

function report(
  environment: Environment,
  { ms, trips }: HandOvers,
  { peers, notes }: GoneliResults,
): Report {
  const [p50, p99, baseline] = [median(ms), quantile(ms, 0.99), median(trips)];
  const figures = {
    name: 'kafka-handover',
    unit: 'ms',
    runs: ms.length,
    p50,
    p99,
    baseline,
    ratio: p50 / baseline,
  } as const;
  return {
    figures: { ...figures, limit: tripsMax, better: 'lower' },
    against: `one record produced and fetched; ${environment.name}`,
    notes: [
      `p99 / baseline ${(p99 / baseline).toFixed(2)}; the slowest round trip ${quantile(trips, 1).toFixed(2)} ms`,
      ...notes,
    ],
    peers,
  };
}
