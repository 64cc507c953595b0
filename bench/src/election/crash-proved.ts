// Measures how long a group has no leader after a crash under `leadership guard`. Groups of three
// member processes share one guard. Their leaders die one after the other: by SIGKILL, by an
// uncaught exception, by `process.exit()`. The time ends when another process begins to lead. Both
// instants are read from the host's monotonic clock. Then a new member replaces the dead one. A term
// that is younger than T is not released, so each group rests until its term is older, while others
// are measured.
//
// The same groups without a guard, and other implementations, are measured afterwards, all at once:
// they wait most of the time.
import { setTimeout as pause } from 'node:timers/promises';
import { guardVariable } from '@leadership/core/internal/guard';
import type { SpawnedMember } from '@leadership/testkit/faults';
import { hasLocalEtcd, localEtcd } from '@leadership/tools/etcd';
import type { Backend, OpenBackend, Peer } from '../backends/backend.ts';
import { file } from '../backends/file.ts';
import { msBetween } from '../measure/ms-between.ts';
import { median, quantile } from '../measure/statistics.ts';
import { take } from '../measure/take.ts';
import { startCurator } from '../peers/curator.ts';
import { etcdElection } from '../peers/etcd-election.ts';
import { type Comparison, comparisonOf } from '../report/comparison.ts';
import { figuresOf, type Report } from '../report/figures.ts';
import { startGuard } from './guard-process.ts';
import { leadersOf } from './leaders.ts';
import { ours, type Starter, theirs } from './starter.ts';
import { crash, successions } from './successions.ts';

/** The sizes of a run, and T. */
export interface CrashProvedOptions {
  readonly thresholdMs: number;
  /** How many groups die in each way, and how often each. */
  readonly guarded: { readonly groups: number; readonly runs: number };
  /** How many groups of each implementation are measured without a guard, and how often each. */
  readonly unguarded: { readonly groups: number; readonly runs: number };
}

/** How a process dies. */
type Death = 'kill' | 'throw' | 'exit';

/** The ways to die, and their names. */
const deaths: readonly (readonly [Death, string])[] = [
  ['kill', 'SIGKILL'],
  ['throw', 'uncaught exception'],
  ['exit', 'process.exit()'],
];

/** The targets: of the median, and of the p99. Milliseconds. */
const targetMs = { p50: 60, p99: 150 };
/** How old a term is when its leader dies, in multiples of T. The guard may learn of it later. */
const oldThresholds = 1.1;
/** How long a group without a guard rests: a renewal comes every third of T. In T. */
const rest = { least: 1 / 3, spread: 1 / 3 };
const members = 3;

/** Runs the benchmark on files, beside the elections of etcd and Curator. */
export async function crashProvedOnFiles(options: CrashProvedOptions): Promise<Report> {
  await using curator = await startCurator(options.thresholdMs);
  await using etcd = (await hasLocalEtcd()) ? await localEtcd({ fsync: true }) : undefined;
  const ttl = Math.round(options.thresholdMs / 1000);
  const election = etcd && (await etcdElection(etcd.endpoints, ttl));
  const report = await crashProved('crash-proved', file, options, [
    ...(election?.peers ?? []),
    ...curator.peers,
  ]);
  return { ...report, notes: [...report.notes, ...(election?.notes ?? []), ...curator.notes] };
}

/** Runs the benchmark on a backend. */
export async function crashProved(
  name: string,
  backend: Backend,
  options: CrashProvedOptions,
  peers: readonly Peer[] = [],
): Promise<Report> {
  const { thresholdMs } = options;
  await using open = await backend.open({ members });
  const measured = await guarded(open, options);
  const beside = await unguarded(open, options, peers);
  const all = measured.flatMap(({ ms }) => ms);
  const limit = targetMs.p99 / thresholdMs;
  const figures = figuresOf(all, { name, unit: 'ms', baseline: thresholdMs, limit, by: 'p99' });
  return {
    figures,
    against: `T; ${open.place}`,
    notes: [
      `limits: p99 ${targetMs.p99} ms, p50 ${targetMs.p50} ms (${figures.p50 <= targetMs.p50 ? 'reached' : 'missed'})`,
      ...measured.map(
        ({ name: death, ms }) =>
          `${death}: p50 ${median(ms).toFixed(1)} ms, worst ${quantile(ms, 1).toFixed(1)} ms of ${ms.length}`,
      ),
    ],
    peers: beside,
  };
}

interface Measured {
  readonly name: string;
  readonly ms: readonly number[];
}

async function guarded(
  open: OpenBackend,
  { thresholdMs, guarded: { groups, runs } }: CrashProvedOptions,
): Promise<readonly Measured[]> {
  await using guard = await startGuard();
  const env = { [guardVariable]: guard.path };
  const started = deaths.map(([death, name]) => ({
    name,
    ms: [] as number[],
    outages: Array.from({ length: groups }, (_, index) => {
      const group = { group: `${death}-${index}`, thresholdMs, partitions: 1 };
      return guardedOutages(ours(open, group, env), death, thresholdMs);
    }),
  }));
  const every = started.flatMap(({ ms, outages }) => outages.map((one) => ({ ms, one })));
  try {
    // The first outage of each group warms up: all groups start, and their leaders die, at once.
    await Promise.all(every.map(({ one }) => one.next()));
    for (let run = 0; run < runs; run += 1)
      for (const { ms, one } of every) {
        const { value } = await one.next();
        if (value !== undefined) ms.push(value);
      }
  } finally {
    await Promise.all(every.map(({ one }) => one.return()));
  }
  return started;
}

function guardedOutages(
  start: Starter,
  death: Death,
  thresholdMs: number,
): AsyncGenerator<number, void> {
  const started: SpawnedMember[] = [];
  let removedNs = 0n;
  return successions<SpawnedMember>({
    members,
    async start(removed) {
      const member = await start(removed);
      started.push(member);
      return member;
    },
    rest: () => {
      const { changedNs } = leadersOf(started);
      const ageMs = msBetween(changedNs, process.hrtime.bigint());
      return pause(
        changedNs > removedNs ? Math.max(0, oldThresholds * thresholdMs - ageMs) : thresholdMs,
      );
    },
    async remove(leader) {
      removedNs = process.hrtime.bigint();
      if (death === 'kill') return crash(leader);
      leader.die(death);
      return removedNs;
    },
  });
}

/** Measures all groups of all implementations at once. */
async function unguarded(
  open: OpenBackend,
  { thresholdMs, unguarded: { groups, runs } }: CrashProvedOptions,
  peers: readonly Peer[],
): Promise<readonly Comparison[]> {
  const names = Array.from({ length: groups }, (_, index) => `unguarded-${index}`);
  const outagesOf = async (start: Starter): Promise<readonly number[]> =>
    take(
      successions({
        members,
        start,
        rest: () => pause(thresholdMs * (rest.least + rest.spread * Math.random())),
        remove: crash,
      }),
      runs,
    );
  const all = [
    {
      name: 'the same without a guard',
      starters: names.map((group) => ours(open, { group, thresholdMs, partitions: 1 })),
    },
    ...peers.map((peer) => ({
      name: peer.name,
      starters: names.map((group) => theirs(peer, { group, thresholdMs, partitions: 1 })),
    })),
  ];
  return await Promise.all(
    all.map(async ({ name, starters }) => {
      const ms = await Promise.all(starters.map(outagesOf));
      return comparisonOf(name, 'ms', ms.flat());
    }),
  );
}
