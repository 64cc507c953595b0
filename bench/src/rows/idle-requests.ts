// Counts the requests of idle groups at the server. The baseline is the rate that the reference of
// the adapter documents for all members together: for a store of rows 4 N / T reads, and
// (3 M + N) / T changes, for N members and M partitions. The worst size determines the ratio.
import { setTimeout as pause } from 'node:timers/promises';
import { median, quantile } from '../measure/statistics.ts';
import { comparisonOf } from '../report/comparison.ts';
import type { Report } from '../report/figures.ts';
import { significant } from '../report/significant.ts';
import type { Counts, Member, MemberOptions, OpenStore, Store } from './store.ts';

/** The group sizes, T, and the duration of each measurement. */
export interface IdleRequestsOptions {
  readonly sizes: readonly GroupSize[];
  readonly thresholdMs: number;
  readonly windowMs: number;
}

/** The size of a group. */
export interface GroupSize {
  readonly partitions: number;
  readonly members: number;
}

/**
 * How long to wait for a new group, in multiples of T. It waits for T first, and a partition
 * changes hands at most once in 2 T (L9).
 */
const quietThresholds = 4;
/** The size of the group in which other implementations are counted. */
const besideMembers = 3;

/** Members whose requests are counted. */
export interface CountedMembers<Kind extends string> {
  /** The name of the benchmark. */
  readonly name: string;
  /** The server that counts. */
  readonly server: string;
  /** The words for the kinds of requests, in the plural. */
  readonly words: Readonly<Record<Kind, string>>;
  /** The documented numbers of requests of a whole group in T. */
  documented(size: GroupSize): Counts<Kind>;
  /** Starts a member in a process of its own. */
  start(options: MemberOptions): Member;
  /** Resolves with the numbers of requests of these members so far. */
  count(members: readonly string[]): Promise<Counts<Kind>>;
}

/** Measures our members on a server, and beside them the other implementations, one by one. */
export async function storeRequests(
  open: OpenStore,
  options: IdleRequestsOptions,
): Promise<Report> {
  await using store = await open();
  // A window that begins just before a request holds one more than its length says.
  const limit = 1 + options.thresholdMs / 3 / options.windowMs;
  const ours = {
    name: `${store.kind}-requests`,
    server: store.name,
    words: store.words,
    documented: ({ partitions, members }: GroupSize) => ({
      reads: 4 * members,
      writes: 3 * partitions + members,
    }),
    start: store.ours.start,
    count: () => store.requests(),
  };
  const report = await idleRequests(ours, options, limit);
  return { ...report, peers: await measurePeers(store, options) };
}

/** Measures each size in turn, with a group of its own. */
export async function idleRequests<Kind extends string>(
  counted: CountedMembers<Kind>,
  options: IdleRequestsOptions,
  limit: number,
): Promise<Report> {
  const { name, server, words } = counted;
  const kinds = Object.keys(words) as Kind[];
  const points: Point<Kind>[] = [];
  for (const size of options.sizes) points.push(await point(counted, options, size));
  const ratioOf = ({ size, rates }: Point<Kind>, kind: Kind): number =>
    (rates[kind] * options.thresholdMs) / 1000 / counted.documented(size)[kind];
  const ratios = points.flatMap((one) => kinds.map((kind) => ratioOf(one, kind)));
  const perMember = points.map(({ size, rates }) => sum(rates) / size.members);
  return {
    figures: {
      name,
      unit: 'requests/s',
      runs: points.length,
      p50: median(perMember),
      p99: quantile(perMember, 0.99),
      baseline: 1,
      ratio: Math.max(...ratios),
      limit,
      better: 'lower',
    },
    against: `the documented rates; ${server}; T ${options.thresholdMs} ms`,
    notes: points.map((one) => {
      const { partitions, members } = one.size;
      const rates = kinds.map(
        (kind) =>
          `${significant(one.rates[kind])} ${words[kind]}/s (${ratioOf(one, kind).toFixed(2)} of the documented rate)`,
      );
      return `${partitions} partitions, ${members} members: ${rates.join(', ')}`;
    }),
  };
}

/** The requests per second of a whole group. */
interface Point<Kind extends string> {
  readonly size: GroupSize;
  readonly rates: Counts<Kind>;
}

async function point<Kind extends string>(
  { start, count }: Pick<CountedMembers<Kind>, 'start' | 'count'>,
  { thresholdMs, windowMs }: IdleRequestsOptions,
  size: GroupSize,
): Promise<Point<Kind>> {
  const { partitions, members } = size;
  const group = `requests-${partitions}-${members}`;
  const names = Array.from({ length: members }, (_, index) => `${group}-${index}`);
  const started = names.map((member) => start({ group, member, thresholdMs, partitions }));
  try {
    await Promise.all(started.map((member) => member.next('ready')));
    await pause(quietThresholds * thresholdMs);
    const [before, since] = [await count(names), performance.now()];
    await pause(windowMs);
    const [now, seconds] = [await count(names), (performance.now() - since) / 1000];
    const rates = (Object.keys(now) as Kind[]).map(
      (kind) => [kind, (now[kind] - before[kind]) / seconds] as const,
    );
    return { size, rates: Object.fromEntries(rates) as Counts<Kind> };
  } finally {
    await Promise.all(started.map((member) => member.kill()));
  }
}

/** Returns the requests per second and member of the other implementations. */
async function measurePeers(
  { peers }: Store,
  options: IdleRequestsOptions,
): Promise<NonNullable<Report['peers']>> {
  const size = { partitions: 1, members: besideMembers };
  const results = [];
  for (const { name, start, requests } of peers) {
    const counted = { start, count: async () => ({ requests: await requests() }) };
    const { rates } = await point(counted, options, size);
    const what = `${name}; 1 partition, ${besideMembers} members, requests per member`;
    results.push(comparisonOf(what, 'requests/s', [rates.requests / besideMembers]));
  }
  return results;
}

function sum(counts: Counts<string>): number {
  return Object.values(counts).reduce((all, one) => all + one, 0);
}
