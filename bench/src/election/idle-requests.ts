// Counts the requests of idle groups at the server. The baseline is the rate that the reference of
// the adapter documents for all members together. The worst size determines the ratio.
import { setTimeout as pause } from 'node:timers/promises';
import {
  type Backend,
  type Counts,
  type GroupSize,
  type MemberOptions,
  type OpenBackend,
  type Peer,
  type RequestCounter,
  startMember,
} from '../backends/backend.ts';
import { median, quantile } from '../measure/statistics.ts';
import { type Comparison, comparisonOf } from '../report/comparison.ts';
import type { Report } from '../report/figures.ts';
import { significant } from '../report/significant.ts';

/** The group sizes, T, and the duration of each measurement. */
export interface IdleRequestsOptions {
  readonly sizes: readonly GroupSize[];
  readonly thresholdMs: number;
  readonly windowMs: number;
}

/**
 * How long to wait for a new group, in multiples of T. It waits for T first, and a partition
 * changes hands at most once in 2 T (L9).
 */
const quietThresholds = 4;
/** The size of the group in which other implementations are counted. */
const besideMembers = 3;

/** Measures our members on a server, and beside them the other implementations, one by one. */
export async function idleRequests(
  { name, open: openBackend }: Backend,
  options: IdleRequestsOptions,
): Promise<Report> {
  const { sizes, thresholdMs, windowMs } = options;
  const members = Math.max(...sizes.map((size) => size.members));
  await using open = await openBackend({ members });
  const { requests: counter } = open;
  if (counter === undefined) throw new RangeError(`${name} counts no requests`);
  const points: Point[] = [];
  for (const size of sizes) {
    const start = (member: MemberOptions) => startMember(open, member);
    const rates = await ratesOf({ start, count: counter.count }, options, size);
    points.push(pointOf(size, rates, counter, thresholdMs));
  }
  const perMember = points.map(({ size, rates }) => sum(rates) / size.members);
  return {
    figures: {
      name: `${name}-requests`,
      unit: 'requests/s',
      runs: points.length,
      p50: median(perMember),
      p99: quantile(perMember, 0.99),
      baseline: 1,
      ratio: Math.max(...points.flatMap(({ ratios }) => Object.values(ratios))),
      // A window that begins just before a request holds one more than its length says.
      limit: counter.limit ?? 1 + thresholdMs / 3 / windowMs,
      better: 'lower',
    },
    against: `the documented rates; ${open.place}; T ${thresholdMs} ms`,
    notes: points.map((point) => noteOf(point, counter)),
    peers: await peerRates(open, options),
  };
}

/** The requests per second of a whole group, and their ratios to the documented rates. */
interface Point {
  readonly size: GroupSize;
  readonly rates: Counts;
  readonly ratios: Counts;
}

function pointOf(
  size: GroupSize,
  rates: Counts,
  { documented }: RequestCounter,
  thresholdMs: number,
): Point {
  const expected = documented(size, thresholdMs);
  const ratios = Object.entries(rates).map(
    ([kind, rate]) => [kind, ratioOf((rate * thresholdMs) / 1000, expected[kind] ?? 0)] as const,
  );
  return { size, rates, ratios: Object.fromEntries(ratios) };
}

/** Returns a ratio of numbers in T. Where none is documented, each adds one to the ratio. */
function ratioOf(measured: number, expected: number): number {
  return expected === 0 ? 1 + measured : measured / expected;
}

function noteOf({ size, rates, ratios }: Point, { words }: RequestCounter): string {
  const parts = Object.entries(rates).map(
    ([kind, rate]) =>
      `${significant(rate)} ${words[kind]}/s (${ratios[kind]?.toFixed(2)} of the documented rate)`,
  );
  return `${size.partitions} partitions, ${size.members} members: ${parts.join(', ')}`;
}

/** Members whose requests are counted. */
interface Counted extends Pick<RequestCounter, 'count'>, Pick<Peer, 'start'> {}

/** Resolves with the requests per second of a new group. */
async function ratesOf(
  { start, count }: Counted,
  { thresholdMs, windowMs }: IdleRequestsOptions,
  { partitions, members }: GroupSize,
): Promise<Counts> {
  const group = `requests-${partitions}-${members}`;
  const names = Array.from({ length: members }, (_, index) => `${group}-${index}`);
  const started = await Promise.all(
    names.map((member) => start({ group, member, thresholdMs, partitions })),
  );
  try {
    await pause(quietThresholds * thresholdMs);
    const [before, since] = [await count(names), performance.now()];
    await pause(windowMs);
    const [now, seconds] = [await count(names), (performance.now() - since) / 1000];
    const rates = Object.entries(now).map(
      ([kind, total]) => [kind, (total - (before[kind] ?? 0)) / seconds] as const,
    );
    return Object.fromEntries(rates);
  } finally {
    await Promise.all(started.map((member) => member.kill()));
  }
}

/** Returns the requests per second and member of the other implementations. */
async function peerRates(
  open: OpenBackend,
  options: IdleRequestsOptions,
): Promise<readonly Comparison[]> {
  const size = { partitions: 1, members: besideMembers };
  const results = [];
  for (const { name, start, requests } of (await open.peers?.())?.peers ?? []) {
    if (requests === undefined) continue;
    const count = async (): Promise<Counts> => ({ requests: await requests() });
    const rates = await ratesOf({ start, count }, options, size);
    const what = `${name}; 1 partition, ${besideMembers} members, requests per member`;
    results.push(comparisonOf(what, 'requests/s', [sum(rates) / besideMembers]));
  }
  return results;
}

function sum(counts: Counts): number {
  return Object.values(counts).reduce((all, one) => all + one, 0);
}
