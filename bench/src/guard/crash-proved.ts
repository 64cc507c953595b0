// Measures how long a group has no leader after a crash under `leadership guard`. Groups of three
// member processes share one guard. Their leaders die one after the other: by SIGKILL, by an
// uncaught exception, by `process.exit()`. The time ends when another process calls its
// subscriber with `leading`. Both instants are read from the host's monotonic clock. Then a new
// member replaces the dead one. A term that is younger than T is not released, so each group rests
// until its term is older, while others are measured.
//
// The same groups without a guard, and other implementations, are measured afterwards, all at once:
// they wait most of the time.
import { setTimeout as pause } from 'node:timers/promises';
import { median, quantile } from '../measure/statistics.ts';
import { take } from '../measure/take.ts';
import { crash, successions } from '../process/successions.ts';
import type { MemberProcess } from '../process/tracked-member.ts';
import type { Comparison } from '../report/comparison.ts';
import type { Report } from '../report/figures.ts';
import { outageFigures } from '../report/outages.ts';
import type { Implementation } from '../rows/store.ts';
import { startGuard } from './guard-process.ts';
import { type Death, die, type Member, startMember } from './member.ts';

/** The sizes of a run, and T. */
export interface CrashProvedOptions {
  readonly thresholdMs: number;
  /** How many groups die in each way, and how often each. */
  readonly guarded: { readonly groups: number; readonly runs: number };
  /** How many groups of each implementation are measured without a guard, and how often each. */
  readonly unguarded: { readonly groups: number; readonly runs: number };
}

/** A backend, and what is measured beside it. */
export interface Backend {
  /** The name of the benchmark. */
  readonly name: string;
  /** What the groups are on, for the table. */
  readonly place: string;
  /** Returns the URL of a group, without T and the number of partitions. */
  url(group: string): string;
  readonly peers: readonly Implementation<MemberProcess>[];
}

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
/** How long a group without a guard rests at least: a renewal comes every third of T. In T. */
const restThresholds = 1 / 3;

/** Runs the benchmark. */
export async function crashProved(backend: Backend, options: CrashProvedOptions): Promise<Report> {
  const { thresholdMs } = options;
  const measured = await guarded(backend, options);
  const peers = await unguarded(backend, options);
  const all = measured.flatMap(({ ms }) => ms);
  const figures = outageFigures(backend.name, all, thresholdMs, targetMs.p99 / thresholdMs);
  return {
    figures,
    against: `T; ${backend.place}`,
    notes: [
      `limits: p99 ${targetMs.p99} ms, p50 ${targetMs.p50} ms (${figures.p50 <= targetMs.p50 ? 'reached' : 'missed'})`,
      ...measured.map(
        ({ name, ms }) =>
          `${name}: p50 ${median(ms).toFixed(1)} ms, worst ${quantile(ms, 1).toFixed(1)} ms of ${ms.length}`,
      ),
    ],
    peers,
  };
}

interface Measured {
  readonly name: string;
  readonly ms: readonly number[];
}

async function guarded(
  backend: Backend,
  { thresholdMs, guarded: { groups, runs } }: CrashProvedOptions,
): Promise<readonly Measured[]> {
  await using guard = await startGuard();
  const started = deaths.map(([death, name]) => ({
    name,
    ms: [] as number[],
    outages: Array.from({ length: groups }, (_, index) =>
      guardedOutages(backend, `${death}-${index}`, { thresholdMs, death, guard: guard.path }),
    ),
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
  backend: Backend,
  group: string,
  { thresholdMs, death, guard }: { thresholdMs: number; death: Death; guard: string },
): AsyncGenerator<number, void> {
  let ledSince: number | undefined;
  let startedCount = 0;
  return successions<Member>({
    members: 3,
    start() {
      startedCount += 1;
      const url = urlOf(backend, group, thresholdMs);
      const member = startMember({ url, member: `${group}-${startedCount}` }, guard);
      member.listen(({ kind }) => {
        if (kind === 'leading') ledSince = performance.now();
      });
      return member;
    },
    rest: () => {
      const oldAt = ledSince === undefined ? undefined : ledSince + oldThresholds * thresholdMs;
      return pause(oldAt === undefined ? thresholdMs : Math.max(0, oldAt - performance.now()));
    },
    remove(leader) {
      ledSince = undefined;
      return die(leader, death);
    },
  });
}

function urlOf(backend: Backend, group: string, thresholdMs: number): string {
  const url = backend.url(group);
  return `${url}${url.includes('?') ? '&' : '?'}partitions=1&thresholdMs=${thresholdMs}`;
}

/** Measures all groups of all implementations at once. */
async function unguarded(
  backend: Backend,
  options: CrashProvedOptions,
): Promise<readonly Comparison[]> {
  const {
    thresholdMs,
    unguarded: { groups, runs },
  } = options;
  const own: Implementation<MemberProcess> = {
    name: 'the same without a guard',
    start: ({ group, member }) => startMember({ url: urlOf(backend, group, thresholdMs), member }),
  };
  return await Promise.all(
    [own, ...backend.peers].map(async ({ name, start }) => {
      const outages = await Promise.all(
        Array.from({ length: groups }, (_, index) => {
          let startedCount = 0;
          const group = `unguarded-${index}`;
          return take(
            successions({
              members: 3,
              start() {
                startedCount += 1;
                return start({
                  group,
                  member: `${group}-${startedCount}`,
                  thresholdMs,
                  partitions: 1,
                });
              },
              rest: () => pause(thresholdMs * (restThresholds + Math.random() / 3)),
              remove: crash,
            }),
            runs,
          );
        }),
      );
      const ms = outages.flat();
      return { name, unit: 'ms', runs: ms.length, p50: median(ms), p99: quantile(ms, 0.99) };
    }),
  );
}
