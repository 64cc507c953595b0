// Measures what membership on gossip costs: the bytes of datagrams and the processor time per member
// and second, for several numbers of members, of which five vote. The members run in a few
// processes of one host and exchange real datagrams. A digest has one row for every member, so the
// bytes per member grow with the number of members.
//
// The baseline is proportional growth, from the fewest members to the most.
import { setTimeout as pause } from 'node:timers/promises';
import type { Report } from '../report/figures.ts';
import { significant } from '../report/significant.ts';
import { type FleetMessage, type FleetSize, startFleet } from './crowd.ts';

/** The numbers of members, and the duration of each measurement. */
export interface GossipMessagesOptions extends Omit<FleetSize, 'members'> {
  /** Ascending. */
  readonly members: readonly number[];
  readonly windowMs: number;
}

interface Point {
  readonly members: number;
  /** Per member and second. */
  readonly bytes: number;
  readonly datagrams: number;
  readonly cpuMs: number;
}

/** Runs the benchmark. */
export async function gossipMessages({
  members,
  windowMs,
  ...size
}: GossipMessagesOptions): Promise<Report> {
  const points: Point[] = [];
  for (const count of members) points.push(await measured({ ...size, members: count }, windowMs));
  return report(points, size.intervalMs);
}

async function measured(size: FleetSize, windowMs: number): Promise<Point> {
  await using fleet = await startFleet(size);
  const counts = (): Promise<readonly Count[]> =>
    Promise.all(
      fleet.processes.map((child) => {
        const answer = child.next('count');
        child.send({ kind: 'count' });
        return answer;
      }),
    );
  const before = await counts();
  await pause(windowMs);
  const after = await counts();
  const perSecond = (what: 'bytes' | 'datagrams' | 'cpuMs'): number =>
    after.reduce((sum, one, index) => {
      const first = before[index] ?? one;
      return sum + (1000 * (one[what] - first[what])) / (one.atMs - first.atMs);
    }, 0) / size.members;
  return {
    members: size.members,
    bytes: perSecond('bytes'),
    datagrams: perSecond('datagrams'),
    cpuMs: perSecond('cpuMs'),
  };
}

type Count = FleetMessage & { readonly kind: 'count' };

function report(points: readonly Point[], intervalMs: number): Report {
  const [few, many] = [points[0], points.at(-1)];
  if (few === undefined || many === undefined)
    throw new RangeError('gossip-messages needs a number of members');
  const baseline = (few.bytes * many.members) / few.members;
  return {
    figures: {
      name: 'gossip-messages',
      unit: 'bytes/s',
      runs: points.length,
      baseline,
      p50: many.bytes,
      p99: many.bytes,
      ratio: many.bytes / baseline,
      limit: 1,
      better: 'lower',
    },
    against: `the bytes of a member in a group of ${few.members}, times ${many.members / few.members}`,
    notes: points.map(
      ({ members, bytes, datagrams, cpuMs }) =>
        `${members} members: ${significant(bytes)} bytes, ${significant(datagrams)} datagrams and ${significant(cpuMs)} ms of CPU per member and second; interval ${intervalMs} ms`,
    ),
  };
}
