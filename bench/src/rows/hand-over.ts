// Measures an orderly hand-over on a server. Of two member processes, the leader resigns without
// work to drain. The time runs from the call of `resign()` until the other process calls its
// subscriber with `leading`. A member that has resigned does not claim the partition for 2 T (L9),
// so the benchmark waits that long between hand-overs.
//
// The baseline is a round trip that the caller measures in the same run, between the hand-overs.
// Other implementations on the same server hand over at the same time.
import { setTimeout as pause } from 'node:timers/promises';
import { median, quantile } from '../measure/statistics.ts';
import { abstainsThresholds, handOvers, type Resigner } from '../process/hand-overs.ts';
import type { Report } from '../report/figures.ts';
import type { FailoverOptions, Implementation } from './fail-over.ts';

/** The round trips of a server. */
export interface RoundTrips {
  /** What one of them is. */
  readonly name: string;
  /**
   * The time for the processes to be scheduled, where it is longer than the round trips. Default 0.
   * Milliseconds.
   */
  readonly schedulingMs?: number;
  /** Measures some of them. Milliseconds. */
  measure(count: number): Promise<readonly number[]>;
}

/** The target, in round trips: the release, its notification with a read, and the claim. */
const tripsMax = 3;
const tripsPerRun = 4;

/** Runs the benchmark. `ours` has the name of the benchmark. */
export async function handover<Member extends Resigner>(
  roundTrips: RoundTrips,
  ours: Implementation<Member>,
  others: readonly Implementation<Member>[],
  { runs, thresholdMs }: FailoverOptions,
): Promise<Report> {
  const trips: number[] = [];
  const exchanged = (
    { name, start }: Implementation<Member>,
    beside: () => Promise<void>,
  ): Promise<readonly number[]> =>
    handOvers<Member>(
      {
        start: (member) =>
          start({ group: 'handover', member: `${name}-${member}`, thresholdMs, partitions: 1 }),
        // A random delay, because otherwise members would always resign at the same point of their
        // polling interval.
        async rest() {
          await pause((abstainsThresholds + Math.random()) * thresholdMs);
          await beside();
        },
      },
      runs,
    );
  const [own, beside] = await Promise.all([
    exchanged(ours, async () => void trips.push(...(await roundTrips.measure(tripsPerRun)))),
    Promise.all(others.map((other) => exchanged(other, () => Promise.resolve()))),
  ]);
  const [p50, tripMs] = [median(own), median(trips)];
  const { schedulingMs = 0 } = roundTrips;
  return {
    figures: {
      ...{ name: ours.name, unit: 'ms', runs: own.length },
      ...{ p50, p99: quantile(own, 0.99), baseline: tripMs },
      ...{ ratio: p50 / tripMs, limit: tripsMax + schedulingMs / tripMs, better: 'lower' },
    },
    against: `${roundTrips.name}; T ${thresholdMs} ms`,
    notes:
      schedulingMs > 0 ? [`limit: ${tripsMax} round trips + ${schedulingMs} ms of scheduling`] : [],
    peers: others.map(({ name }, index) => {
      const seen = beside[index] ?? [];
      return { name, unit: 'ms', runs: seen.length, p50: median(seen), p99: quantile(seen, 0.99) };
    }),
  };
}
