// Measures an orderly hand-over on a server, in round trips. Of two member processes, the leader
// resigns without work to drain. The time runs from the call of `resign()` until the other process
// calls its subscriber with `leading`. A member that has resigned does not claim the partition for
// 2 T (L9), so the benchmark waits that long between hand-overs.
//
// The server is on the same host, where a round trip is shorter than the time that the processes
// need to be scheduled. So everything reaches it through a proxy that delays each direction, and
// the baseline is a round trip through this proxy, measured between the hand-overs. Other
// implementations hand over through the same proxy at the same time.
import { setTimeout as pause } from 'node:timers/promises';
import { median, quantile } from '../measure/statistics.ts';
import { handOvers, restThresholds } from '../process/hand-overs.ts';
import { comparisonOf } from '../report/comparison.ts';
import type { Report } from '../report/figures.ts';
import type { FailoverOptions } from './fail-over.ts';
import type { Implementation, OpenStore, Store } from './store.ts';

/** The delay of the proxy in each direction. Milliseconds. */
const delayMs = 5;
/** The target, in round trips: the release until its notification arrives, and the claim. */
const tripsMax = 3;
const tripsPerRun = 4;

/** Runs the benchmark. */
export async function handover(
  open: OpenStore,
  { runs, thresholdMs }: FailoverOptions,
): Promise<Report> {
  await using store = await open({ delayMs });
  const { kind, name, ours, peers, trip } = store;
  const trips: number[] = [];
  const exchanged = (
    implementation: Implementation,
    beside: () => Promise<void> = () => Promise.resolve(),
  ): Promise<readonly number[]> =>
    handOvers(
      {
        start: (member) =>
          implementation.start({
            group: 'handover',
            member: `${implementation.name}-${member}`,
            thresholdMs,
            partitions: 1,
          }),
        // A random delay, because otherwise members would always resign at the same point of their
        // polling interval.
        async rest() {
          await pause((restThresholds + Math.random()) * thresholdMs);
          await beside();
        },
      },
      runs,
    );
  const [own, beside] = await Promise.all([
    exchanged(ours, async () => void trips.push(...(await tripsOf(store)))),
    Promise.all(peers.map((peer) => exchanged(peer))),
  ]);
  const [p50, tripMs] = [median(own), median(trips)];
  return {
    figures: {
      name: `${kind}-handover`,
      unit: 'ms',
      runs: own.length,
      p50,
      p99: quantile(own, 0.99),
      baseline: tripMs,
      ratio: p50 / tripMs,
      limit: tripsMax,
      better: 'lower',
    },
    against: `${trip}; ${name}, ${delayMs} ms away in each direction; T ${thresholdMs} ms`,
    notes: [],
    peers: peers.map((peer, index) => comparisonOf(peer.name, 'ms', beside[index] ?? [])),
  };
}

/** Resolves with the duration of some round trips, in milliseconds. */
async function tripsOf(store: Store): Promise<readonly number[]> {
  const trips: number[] = [];
  while (trips.length < tripsPerRun) {
    const began = performance.now();
    await store.roundTrip();
    trips.push(performance.now() - began);
  }
  return trips;
}
