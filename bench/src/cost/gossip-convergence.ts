// Measures how many rounds of gossip a change takes to reach all members. A hundred members run in
// a few processes of one host and exchange real datagrams. One of them publishes a value, and each
// process reports when the last of its members has received it. The values do not wait for each
// other. The time ends with the last process, and is divided by the interval.
//
// The baseline is log2 of the number of members. The limit is 2 log2 n + 3, for the p99.
import { setTimeout as pause } from 'node:timers/promises';
import { msBetween } from '../measure/ms-between.ts';
import { median, quantile } from '../measure/statistics.ts';
import type { Report } from '../report/figures.ts';
import { significant } from '../report/significant.ts';
import { type FleetSize, startFleet } from './crowd.ts';

/** The size of the crowd, and the number of changes. */
export interface GossipConvergenceOptions extends FleetSize {
  readonly runs: number;
}

/** Changes begin at any moment of a round. */
const pausesPerInterval = 3;
/** A change that is still on its way after this time never arrives. Milliseconds. */
const timeoutMs = 120_000;

/** Runs the benchmark. */
export async function gossipConvergence({
  runs,
  ...size
}: GossipConvergenceOptions): Promise<Report> {
  await using fleet = await startFleet(size);
  const arrivals = new Map<string, Arrival>();
  for (const child of fleet.processes)
    child.listen((message) => {
      if (message.kind === 'received') arrivals.get(message.value)?.note(message.atNs);
    });
  const spreads: Promise<number>[] = [];
  for (let run = 0; run < runs; run += 1) {
    // Each writer publishes once: a member may skip a value that was replaced on its way.
    const member = fleet.names[(run * stride) % fleet.names.length] ?? '';
    const value = `${member} ${run}`;
    const arrival = arrivalOf(value, fleet.processes.length);
    arrivals.set(value, arrival);
    spreads.push(arrival.afterMs);
    fleet.processOf(member).send({ kind: 'set', member, value });
    await pause((2 * Math.random() * size.intervalMs) / pausesPerInterval);
  }
  const rounds = (await Promise.all(spreads)).map((ms) => ms / size.intervalMs);
  return report(rounds, size);
}

/** Writers are not neighbours, which share a process. */
const stride = 37;

/** The arrivals of one value in all processes. */
interface Arrival {
  /** The last of a process's members has received it. */
  note(atNs: string): void;
  readonly afterMs: Promise<number>;
}

function arrivalOf(value: string, processes: number): Arrival {
  const beganNs = process.hrtime.bigint();
  const afterMs: number[] = [];
  let resolve: (ms: number) => void = () => undefined;
  const all = new Promise<number>((resolved, reject) => {
    const timer = setTimeout(() => reject(new Error(`${value} did not arrive`)), timeoutMs);
    resolve = (ms) => {
      clearTimeout(timer);
      resolved(ms);
    };
  });
  all.catch(() => undefined);
  return {
    note(atNs) {
      afterMs.push(msBetween(beganNs, atNs));
      if (afterMs.length === processes) resolve(Math.max(...afterMs));
    },
    afterMs: all,
  };
}

function report(rounds: readonly number[], { members, processes, intervalMs }: FleetSize): Report {
  const baseline = Math.log2(members);
  const [p50, p99] = [median(rounds), quantile(rounds, 0.99)];
  const limit = (2 * baseline + 3) / baseline;
  return {
    figures: {
      name: 'gossip-convergence',
      unit: 'rounds',
      runs: rounds.length,
      p50,
      p99,
      baseline,
      ratio: p99 / baseline,
      limit,
      better: 'lower',
    },
    against: `log2 of ${members} members, in ${processes} processes`,
    notes: [
      `interval ${intervalMs} ms; limit: ${significant(2 * baseline + 3)} rounds, for the p99`,
    ],
  };
}
