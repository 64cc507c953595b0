// What gossip costs: members in a few processes of one host, of which five vote, exchange real
// datagrams over the loopback interface.
import { setTimeout as pause } from 'node:timers/promises';
import { type SpawnedMember, spawnMember } from '@leadership/testkit/faults';
import { gossip } from '../backends/gossip.ts';
import { msBetween } from '../measure/ms-between.ts';
import { figuresOf, type Report } from '../report/figures.ts';
import { significant } from '../report/significant.ts';
import { growthPerSecond, measuredIn } from './measured.ts';

/** The size of a fleet. */
interface FleetSize {
  readonly members: number;
  readonly processes: number;
  readonly thresholdMs: number;
  readonly intervalMs: number;
}

/** Processes whose members know each other. Disposing ends them. */
interface Fleet extends AsyncDisposable {
  readonly processes: readonly SpawnedMember[];
}

const voters = 5;
/** A fleet that is not complete, or a value that has not arrived, after this time never is. */
const timeoutMs = 120_000;

/** Starts a fleet. Resolves once each member knows all others. */
async function startFleet(
  { members, processes: count, thresholdMs, intervalMs }: FleetSize,
  spreadMs = 0,
): Promise<Fleet> {
  const open = await gossip({ voters, intervalMs, thresholdMs }).open({ members });
  const { names = [] } = open;
  const module = new URL('../programs/observed-gossip.js', import.meta.url);
  module.searchParams.set('spreadMs', String(spreadMs));
  const share = Math.ceil(members / count);
  const processes = await Promise.all(
    Array.from({ length: count }, (_, index) => {
      const [member = '', ...beside] = names.slice(index * share, (index + 1) * share);
      const { url } = open.address('fleet', member);
      const options = { member, thresholdMs, partitions: 1 };
      return spawnMember({ url, options, beside, module: module.href, work: { kind: 'none' } });
    }),
  );
  const end = async (): Promise<void> => {
    await Promise.all(processes.map((member) => member.kill()));
  };
  try {
    await until(() => reported(processes, 'complete').length === members);
  } catch (error) {
    await end();
    throw error;
  }
  return { processes, [Symbol.asyncDispose]: end };
}

async function until(isTrue: () => boolean): Promise<void> {
  for (const end = performance.now() + timeoutMs; !isTrue(); await pause(50))
    if (performance.now() > end) throw new Error(`waited ${timeoutMs} ms without success`);
}

/** Returns what the processes have reported under this name, and when. */
function reported(
  processes: readonly SpawnedMember[],
  name: 'complete' | 'published' | 'received',
): readonly { readonly atNs: bigint; readonly member: string }[] {
  return processes
    .flatMap(measuredIn)
    .filter(({ values }) => name in values)
    .map(({ atNs, values }) => ({ atNs, member: String(values[name]) }));
}

/** The size of the fleet, and the number of changes. */
export interface GossipConvergenceOptions extends FleetSize {
  readonly runs: number;
}

/** The number of changes that begin in an interval, on average. */
const changesPerInterval = 3;

/**
 * Measures how many rounds of gossip a change takes to reach all members. Members publish a value
 * each, at random moments that do not wait for each other, and each process reports when the last of
 * its members has received it. The time ends with the last process, and is divided by the interval.
 * The baseline is log2 of the number of members. The limit is 2 log2 n + 3, for the p99.
 */
export async function gossipConvergence({
  runs,
  ...size
}: GossipConvergenceOptions): Promise<Report> {
  const { members, processes: count, intervalMs } = size;
  await using fleet = await startFleet(size, (members * intervalMs) / changesPerInterval);
  const sinceNs = process.hrtime.bigint();
  const spreads = (): readonly number[] => {
    const received = reported(fleet.processes, 'received');
    return reported(fleet.processes, 'published').flatMap(({ member, atNs }) => {
      const arrivals = received.filter((one) => one.member === member);
      if (atNs < sinceNs || arrivals.length < count) return [];
      return [Math.max(...arrivals.map((one) => msBetween(atNs, one.atNs)))];
    });
  };
  await until(() => spreads().length >= runs);
  const baseline = Math.log2(members);
  const limit = 2 * baseline + 3;
  return {
    figures: figuresOf(
      spreads()
        .slice(0, runs)
        .map((ms) => ms / intervalMs),
      {
        name: 'gossip-convergence',
        unit: 'rounds',
        baseline,
        limit: limit / baseline,
        by: 'p99',
      },
    ),
    against: `log2 of ${members} members, in ${count} processes`,
    notes: [`interval ${intervalMs} ms; limit: ${significant(limit)} rounds, for the p99`],
  };
}

/** The numbers of members, and the duration of each measurement. */
export interface GossipMessagesOptions extends Omit<FleetSize, 'members'> {
  /** Ascending. */
  readonly members: readonly number[];
  readonly windowMs: number;
}

/**
 * Measures what membership costs: the bytes of datagrams and the processor time per member and
 * second, for several numbers of members. A digest has one row for every member, so the bytes per
 * member grow with the number of members. The baseline is proportional growth, from the fewest
 * members to the most.
 */
export async function gossipMessages({
  members,
  windowMs,
  ...size
}: GossipMessagesOptions): Promise<Report> {
  const points = [];
  for (const count of members) {
    await using fleet = await startFleet({ ...size, members: count });
    const sinceNs = process.hrtime.bigint();
    await pause(windowMs);
    const of = (name: string): number => growthPerSecond(fleet.processes, name, sinceNs) / count;
    points.push({ count, bytes: of('bytes'), datagrams: of('datagrams'), cpuMs: of('cpuMs') });
  }
  const [few, many] = [points[0], points.at(-1)];
  if (few === undefined || many === undefined)
    throw new RangeError('gossip-messages needs a number of members');
  const baseline = (few.bytes * many.count) / few.count;
  const target = { name: 'gossip-messages', unit: 'bytes/s', limit: 1, by: 'p50' } as const;
  return {
    figures: { ...figuresOf([many.bytes], { ...target, baseline }), runs: points.length },
    against: `the bytes of a member in a group of ${few.count}, times ${many.count / few.count}`,
    notes: points.map(
      ({ count, bytes, datagrams, cpuMs }) =>
        `${count} members: ${significant(bytes)} bytes, ${significant(datagrams)} datagrams and ${significant(cpuMs)} ms of CPU per member and second; interval ${size.intervalMs} ms`,
    ),
  };
}
