// Measures an orderly hand-over in a Nerio group. Of three processes on one host, the leader
// resigns without work to drain. The time runs from the call of `resign()` until another process
// calls its subscriber with `leading`. A member that has resigned does not claim the partition for
// 2 T (L9), so the benchmark waits that long between hand-overs.
//
// The baseline is a bare TCP round trip between two processes, measured before each hand-over. The
// limit is one round trip plus the scheduling delays of four turns of an event loop on a busy
// machine.
import { setTimeout as pause } from 'node:timers/promises';
import { median, quantile } from '../measure/statistics.ts';
import { handOver, restThresholds } from '../process/hand-overs.ts';
import { nextFrom } from '../process/tracked-member.ts';
import type { Report } from '../report/figures.ts';
import { openEcho } from './echo.ts';
import { freeAddresses } from './free-addresses.ts';
import { type Member, startMember } from './member.ts';

/** The number of runs, and T. */
export interface NerioHandoverOptions {
  readonly runs: number;
  readonly thresholdMs: number;
}

/** The number of round trips before each hand-over. */
const tripsPerRun = 4;
/** The allowance for scheduling delays, in milliseconds. */
const schedulingMs = 4;

/** Runs the benchmark. */
export async function nerioHandover({ runs, thresholdMs }: NerioHandoverOptions): Promise<Report> {
  await using echo = await openEcho();
  const addresses = await freeAddresses(3);
  const members = Object.keys(addresses).map((member) =>
    startMember({ addresses, member, thresholdMs, partitions: 1 }),
  );
  const leaders: Member[] = [];
  for (const member of members)
    member.listen(({ kind }) => kind === 'leading' && leaders.push(member));
  const trips: number[] = [];
  const ms: number[] = [];
  try {
    await nextFrom(members, 'leading');
    for (let run = 0; run < runs; run += 1) {
      await pause(restThresholds * thresholdMs);
      trips.push(...(await echo.roundTrips(tripsPerRun)));
      ms.push(await nextHandOver(members, leaders.at(-1)));
    }
  } finally {
    await Promise.all(members.map((member) => member.kill()));
  }
  return report(ms, trips);
}

function nextHandOver(members: readonly Member[], leader: Member | undefined): Promise<number> {
  if (leader === undefined) throw new Error('no member leads');
  const others = members.filter((member) => member !== leader);
  return handOver(leader, nextFrom(others, 'leading'));
}

function report(ms: readonly number[], trips: readonly number[]): Report {
  const [p50, p99, baseline] = [median(ms), quantile(ms, 0.99), median(trips)];
  const figures = {
    name: 'nerio-handover',
    unit: 'ms',
    runs: ms.length,
    p50,
    p99,
    baseline,
    ratio: p50 / baseline,
  } as const;
  return {
    figures: { ...figures, limit: 1 + schedulingMs / baseline, better: 'lower' },
    against: 'one bare round trip between two processes, over TCP',
    notes: [
      `limit: one round trip + ${schedulingMs} ms of scheduling; the slowest round trip took ${quantile(trips, 1).toFixed(2)} ms`,
    ],
  };
}
