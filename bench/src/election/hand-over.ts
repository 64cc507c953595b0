// Measures an orderly hand-over, on any backend. The leader resigns without work to drain. The time
// runs from its call of `resign()` until another process begins to lead. A member that has resigned
// does not claim the partition for 2 T (L9), so the benchmark waits that long between hand-overs.
// The baseline is a round trip without any protocol, measured between the hand-overs. Other
// implementations hand over at the same time.
import { setTimeout as pause } from 'node:timers/promises';
import type { Backend, HandoverTarget, RoundTrip } from '../backends/backend.ts';
import { median, quantile } from '../measure/statistics.ts';
import { take } from '../measure/take.ts';
import { figuresOf, type Report, type Runs } from '../report/figures.ts';
import { beside } from './beside.ts';
import { ours, theirs } from './starter.ts';
import { close, resign, successions } from './successions.ts';

/**
 * The pause before each hand-over: as long as a member that has resigned does not claim the partition
 * (L9), plus some time for its timers. In T.
 */
const restThresholds = 2.2;
/** The number of members of a group that hands over by closing its leader. */
const closingMembers = 3;

/** Runs the benchmark. */
export async function handover(
  { name, open: openBackend, handover: target }: Backend,
  { runs, thresholdMs }: Runs,
): Promise<Report> {
  if (target === undefined) throw new RangeError(`${name} has no target for hand-overs`);
  const { members, delayMs = 0, spread = 0, roundTrip } = target;
  await using open = await openBackend({ members, delayMs });
  const { peers, notes } = (await open.peers?.()) ?? { peers: [], notes: [] };
  const group = { group: 'handover', thresholdMs, partitions: 1 };
  const pauseOnce = (): Promise<void> =>
    pause(thresholdMs * (restThresholds + spread * Math.random()));
  const roundTrips: RoundTrip[] = [];
  const restAndMeasure = async (): Promise<void> => {
    await pauseOnce();
    for (let count = 0; open.roundTrip && count < roundTrip.count; count += 1)
      roundTrips.push(await open.roundTrip());
  };
  const resigning = { members, remove: resign, leaderStays: true } as const;
  const measured = await beside(
    () => take(successions({ ...resigning, start: ours(open, group), rest: restAndMeasure }), runs),
    peers.map((peer) => ({
      name: peer.closes ? `${peer.name}, close to the next leader` : peer.name,
      unit: 'ms',
      values: () =>
        successions({
          start: theirs(peer, group),
          rest: peer.rest ?? pauseOnce,
          ...(peer.closes ? { members: closingMembers, remove: close } : resigning),
        }),
    })),
  );
  const delay = delayMs > 0 ? `, ${delayMs} ms away in each direction` : '';
  const { by, limit } = target;
  const baseline = target.baselineMs ?? median(roundTrips.map(({ ms }) => ms));
  return {
    figures: figuresOf(measured.ours, {
      name: `${name}-handover`,
      unit: 'ms',
      by,
      baseline,
      limit: limit.roundTrips + limit.slackMs / baseline,
    }),
    against: `${roundTrip.what}; ${open.place}${delay}; T ${thresholdMs} ms`,
    notes: [
      `round trip in this run: p50 ${roundTripText(roundTrips, 0.5)}, slowest ${roundTripText(roundTrips, 1)}; limit: ${limitText(target)}`,
      ...notes,
      ...measured.notes,
    ],
    peers: measured.peers,
  };
}

function roundTripText(roundTrips: readonly RoundTrip[], share: number): string {
  return `${quantile(
    roundTrips.map(({ ms }) => ms),
    share,
  ).toFixed(2)} ms`;
}

function limitText({ by, limit: { roundTrips, slackMs } }: HandoverTarget): string {
  const parts = [roundTrips > 0 && `${roundTrips} × the baseline`, slackMs > 0 && `${slackMs} ms`];
  return `${by} of ${parts.filter((part) => part !== false).join(' + ')}`;
}
