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
import { type Crowd, type CrowdSize, startCrowd } from './crowd.ts';

/** The size of the crowd, and the number of changes. */
export interface GossipConvergenceOptions extends CrowdSize {
  readonly runs: number;
}

/** Changes begin at any moment of a round. */
const pausesPerInterval = 3;
/** A change that is still on its way after this time never arrives. Milliseconds. */
const patienceMs = 120_000;

/** Runs the benchmark. */
export async function gossipConvergence({
  runs,
  ...size
}: GossipConvergenceOptions): Promise<Report> {
  await using crowd = await startCrowd(size);
  const spreads: Promise<number>[] = [];
  for (let run = 0; run < runs; run += 1) {
    spreads.push(spread(crowd, run));
    await pause((2 * Math.random() * size.intervalMs) / pausesPerInterval);
  }
  const rounds = (await Promise.all(spreads)).map((ms) => ms / size.intervalMs);
  return report(rounds, size);
}

/** Publishes a value, and resolves with the time until every member has it. */
async function spread(crowd: Crowd, run: number): Promise<number> {
  const member = crowd.names[Math.floor(Math.random() * crowd.names.length)] ?? '';
  const value = `${member} ${run}`;
  const arrivals = crowd.processes.map(
    (child) =>
      new Promise<string>((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error(`${value} did not arrive`)), patienceMs);
        const listening = child.listen((message) => {
          if (message.kind !== 'received' || message.value !== value) return;
          clearTimeout(timer);
          listening[Symbol.dispose]();
          resolve(message.atNs);
        });
      }),
  );
  const beganNs = process.hrtime.bigint();
  crowd.processOf(member).send({ kind: 'set', member, value });
  const arrived = await Promise.all(arrivals);
  return Math.max(...arrived.map((atNs) => msBetween(beganNs, atNs)));
}

function report(rounds: readonly number[], { members, processes, intervalMs }: CrowdSize): Report {
  const baseline = Math.log2(members);
  const [p50, p99] = [median(rounds), quantile(rounds, 0.99)];
  const limit = (2 * baseline + 3) / baseline;
  return {
    figures: {
      ...{ name: 'gossip-convergence', unit: 'rounds', runs: rounds.length, p50, p99, baseline },
      ...{ ratio: p99 / baseline, limit, better: 'lower' },
    },
    against: `log2 of ${members} members, in ${processes} processes`,
    notes: [
      `interval ${intervalMs} ms; limit: ${significant(2 * baseline + 3)} rounds, for the p99`,
    ],
  };
}
