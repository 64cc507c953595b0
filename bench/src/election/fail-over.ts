// Measures how long a group has no leader after a crash, on any backend. The benchmark kills the
// leader with SIGKILL at a random moment between two renewals. The time ends when another process
// begins to lead. Both instants are read from the host's monotonic clock. Then a new member replaces
// the killed one. Other implementations are killed in the same way, at the same time. The baseline
// is T as configured.
import { setTimeout as pause } from 'node:timers/promises';
import type { Backend, FailoverTarget, RoundTrip } from '../backends/backend.ts';
import { quantile } from '../measure/statistics.ts';
import { take } from '../measure/take.ts';
import { figuresOf, type Report, type Runs } from '../report/figures.ts';
import { beside } from './beside.ts';
import { ours, theirs } from './starter.ts';
import { crash, successions } from './successions.ts';

/** The number of runs, T, and what differs from other fail-overs. */
export interface FailoverOptions extends Runs {
  /** The size of the group. Default 3. */
  readonly members?: number;
  /** The name of the benchmark. Default: that of the backend. */
  readonly name?: string;
}

/** Round trips before each run, if the target depends on them. */
const roundTripsPerRun = 4;
/** The default pause before each crash, in T. */
const usualRest = { least: 1, spread: 1 / 3 };

/** Runs the benchmark. */
export async function failover(
  { name: backend, open: openBackend, failover: target }: Backend,
  { runs, thresholdMs, members = 3, name = `${backend}-failover` }: FailoverOptions,
): Promise<Report> {
  if (target === undefined) throw new RangeError(`${backend} has no target for fail-overs`);
  await using open = await openBackend({ members });
  const { peers, notes } = (await open.peers?.()) ?? { peers: [], notes: [] };
  const { least, spread } = target.rest ?? usualRest;
  const rest = (): Promise<void> => pause(thresholdMs * (least + spread * Math.random()));
  const group = { group: 'failover', thresholdMs, partitions: 1 };
  const roundTrips: RoundTrip[] = [];
  const restAndMeasure = async (): Promise<void> => {
    for (let count = 0; target.roundTrip && open.roundTrip && count < roundTripsPerRun; count += 1)
      roundTrips.push(await open.roundTrip());
    await rest();
  };
  const measured = await beside(
    () =>
      take(
        successions({ members, start: ours(open, group), rest: restAndMeasure, remove: crash }),
        runs,
      ),
    peers.map((peer) => ({
      name: peer.closes ? `${peer.name}, SIGKILL to the next leader` : peer.name,
      unit: 'ms',
      values: () =>
        successions({
          members,
          start: theirs(peer, group),
          rest: peer.rest ?? rest,
          remove: crash,
        }),
    })),
  );
  const limit = limitOf(target, roundTrips, thresholdMs);
  const { by = 'p99', halfThresholds = 1 } = target;
  const figures = figuresOf(measured.ours, {
    name,
    unit: 'ms',
    by,
    baseline: thresholdMs,
    limit: limit.thresholds,
  });
  const { p50 } = figures;
  return {
    figures,
    against: `T; ${open.place}`,
    notes: [
      `p50 ${p50 <= halfThresholds * thresholdMs ? '≤' : '>'} ${halfThresholds} T: ${(p50 / thresholdMs).toFixed(3)} T; p99 ${(figures.p99 / thresholdMs).toFixed(3)} T`,
      limit.note,
      ...notes,
      ...measured.notes,
    ],
    peers: measured.peers,
  };
}

/** The limit of a target in T, with the round trips of this run. */
function limitOf(
  { thresholds, roundTrip, by = 'p99' }: FailoverTarget,
  roundTrips: readonly RoundTrip[],
  thresholdMs: number,
): { readonly thresholds: number; readonly note: string } {
  if (roundTrip === undefined)
    return { thresholds, note: `limit for the ${by}: ${thresholds.toFixed(2)} T` };
  const times = roundTrips.map(({ ms, noticeMs }) => noticeMs ?? ms);
  const [half, worst, added] = [0.5, 0.99, roundTrip.quantile].map((share) =>
    quantile(times, share),
  );
  return {
    thresholds: thresholds + ((added ?? 0) + roundTrip.slackMs) / thresholdMs,
    note: `round trip in this run: p50 ${half?.toFixed(2)} ms, p99 ${worst?.toFixed(2)} ms; limit: ${thresholds} T + its p${100 * roundTrip.quantile} + ${roundTrip.slackMs} ms`,
  };
}
