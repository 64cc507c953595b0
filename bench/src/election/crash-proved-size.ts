// Measures how long the partitions of a member have no leader after it is killed under `leadership
// guard`, in a group with one partition and in one with many: until the first of them is led again, and
// until the last one is. Then a new member replaces the dead one, and the group spreads again.
import { setTimeout as pause } from 'node:timers/promises';
import { guardVariable } from '@leadership/core/internal/guard';
import type { SpawnedMember } from '@leadership/testkit/faults';
import { type Backend, type OpenBackend, startMember } from '../backends/backend.ts';
import { msBetween } from '../measure/ms-between.ts';
import { median } from '../measure/statistics.ts';
import { figuresOf, type Report, type Runs } from '../report/figures.ts';
import { startGuard } from './guard-process.ts';
import { leadersOf, spread } from './leaders.ts';

/** The numbers of partitions to compare, and how often the leader of one of these groups dies. */
export interface CrashSizes extends Runs {
  readonly partitions: readonly number[];
}

/** The target of the issue for the last of many partitions after the first one. Milliseconds. */
const lastAfterFirstMs = 250;
const members = 3;
/** How long all partitions may have no leader before the measurement has failed. In T. */
const timeoutThresholds = 10;
const pollMs = 5;

/** One crash: the time to the first and the last of the next terms. Milliseconds. */
interface Crash {
  readonly partitions: number;
  readonly led: number;
  readonly firstMs: number;
  readonly lastMs: number;
}

/** Runs the benchmark on a backend. */
export async function crashProvedBySize(
  name: string,
  backend: Backend,
  { partitions: sizes, runs, thresholdMs }: CrashSizes,
): Promise<Report> {
  await using open = await backend.open({ members });
  const rows: Crash[] = [];
  for (const partitions of sizes)
    rows.push(...(await crashes(open, { partitions, runs, thresholdMs })));
  const spans = rows.map(({ firstMs, lastMs }) => lastMs - firstMs);
  return {
    figures: figuresOf(spans, {
      name,
      unit: 'ms',
      baseline: thresholdMs,
      limit: lastAfterFirstMs / thresholdMs,
      by: 'p99',
    }),
    against: `T; ${open.place}`,
    notes: sizes.map((partitions) => noteOf(rows.filter((row) => row.partitions === partitions))),
    rows,
  };
}

function noteOf(rows: readonly Crash[]): string {
  const first = rows.map(({ firstMs }) => firstMs);
  const last = rows.map(({ lastMs }) => lastMs);
  const led = rows.map((row) => row.led);
  return `${rows[0]?.partitions} partitions, of which the dead member led ${median(led)}: the first is led after ${median(first).toFixed(1)} ms, the last after ${median(last).toFixed(1)} ms, at worst ${Math.max(...last).toFixed(1)} ms of ${rows.length}`;
}

async function crashes(
  open: OpenBackend,
  { partitions, runs, thresholdMs }: Runs & { readonly partitions: number },
): Promise<readonly Crash[]> {
  await using guard = await startGuard();
  const env = { [guardVariable]: guard.path };
  const group = `size-${partitions}`;
  const start = (index: number): Promise<SpawnedMember> =>
    startMember(open, { group, member: `m${index}`, thresholdMs, partitions }, env);
  let living = await Promise.all(Array.from({ length: members }, (_, index) => start(index)));
  const found: Crash[] = [];
  try {
    for (let run = 0; run < runs; run += 1) {
      // Its terms are older than T then (M10).
      await spread(living, { partitions, members }, thresholdMs);
      const leader = living.find((member) => leadersOf([member]).led > 0);
      if (leader === undefined) throw new Error('nobody leads');
      living = living.filter((member) => member !== leader);
      found.push({ partitions, ...(await crash(leader, living, partitions, thresholdMs)) });
      living = [...living, await start(members + run)];
    }
  } finally {
    await Promise.all(living.map((member) => member.kill()));
  }
  return found;
}

async function crash(
  leader: SpawnedMember,
  others: readonly SpawnedMember[],
  partitions: number,
  thresholdMs: number,
): Promise<Omit<Crash, 'partitions'>> {
  const { led } = leadersOf([leader]);
  const killedNs = process.hrtime.bigint();
  await leader.kill();
  const until = performance.now() + timeoutThresholds * thresholdMs;
  while (leadersOf(others).single < partitions) {
    if (performance.now() > until)
      throw new Error(`not all of ${partitions} partitions were led after ${timeoutThresholds} T`);
    await pause(pollMs);
  }
  const begun = others
    .flatMap(({ events }) => events)
    .filter(({ kind, atNs }) => kind === 'acquired' && atNs >= killedNs)
    .map(({ atNs }) => msBetween(killedNs, atNs));
  return { led, firstMs: Math.min(...begun), lastMs: Math.max(...begun) };
}
