// Measures what a group costs and how fast it is with few and many partitions, through the whole
// source: on memory in one process with the store, elsewhere in a process for each member.
import { setTimeout as pause } from 'node:timers/promises';
import type { Backend } from '../backends/backend.ts';
import { inOwnProcess } from '../measure/own-process.ts';
import { figuresOf, type Report } from '../report/figures.ts';
import { nowMs, type ScaleGroup, type ScaleSize, type Sized } from './scale-group.ts';
import { groupInProcess } from './scale-in-process.ts';
import { groupOfProcesses } from './scale-of-processes.ts';

/** The sizes to measure on memory. */
export const scaleSizes: readonly ScaleSize[] = [1, 8, 256, 1000, 10_000].flatMap((partitions) =>
  [3, 10].map((members) => ({ members, partitions })),
);

/**
 * The number of partitions whose writes are compared with those of most partitions up to `large`. With
 * more members, some lead nothing and write less often.
 */
const few = 8;
/** Larger groups have other limits. */
const large = 1000;
const limit = 1.1;

/** The costs and the times of one group. */
export interface ScaleRow extends ScaleSize {
  readonly backend: string;
  readonly writesPerS: number;
  readonly readsPerS: number;
  readonly bytesInPerS: number;
  readonly bytesOutPerS: number;
  readonly cpuPct: number;
  /** The time from the first open source until the group has settled. In T. */
  readonly settleT: number;
  /**
   * The times from the crash of a member to the first and the last of its partitions' next terms; on
   * memory, from its cut.
   */
  readonly takeOverFirstMs: number;
  readonly takeOverLastMs: number;
  readonly loopStallMs: number;
  /** The time from the opening of one more member until its share has moved. In T. */
  readonly joinT: number;
  /** The number of terms that began because of it. */
  readonly moved: number;
  /** The time from the beginning of its close until the others have its share. In T. */
  readonly closeT: number;
  /** The other limits that this group exceeds. */
  readonly missed: readonly string[];
}

/** The measurements of one group. */
type Measured = Omit<ScaleRow, 'missed'>;

/** The limits of one group beside that of the ratio, and the words by which a remark names them. */
interface Limits
  extends Readonly<
    Record<'settleT' | 'joinT' | 'closeT' | 'takeOverMs' | 'loopStallMs' | 'moved', number>
  > {
  readonly writesPerS?: number;
}

/** The usual limits. In T, milliseconds, terms and writes per second. */
function usualLimits({ members, partitions }: ScaleSize): Limits {
  const isLarge = partitions > large;
  return {
    settleT: isLarge ? 4 : 1.5,
    joinT: isLarge ? 3 : 2.5,
    closeT: Number.POSITIVE_INFINITY,
    takeOverMs: isLarge ? Number.POSITIVE_INFINITY : 250,
    loopStallMs: 100,
    // One member is away before the other joins.
    moved: Math.ceil(partitions / members),
  };
}

/** What is measured. */
export interface ScaleOptions {
  readonly sizes: readonly ScaleSize[];
  readonly thresholdMs: number;
  /** The limits that differ from those of other stores. */
  readonly limitsOf?: (size: Sized) => Partial<Limits>;
}

const inChild = inOwnProcess(import.meta.url, scaleInProcess);

/** Measures groups on memory. */
export async function scale(
  options: ScaleOptions,
  measure: typeof scaleInProcess = inChild,
): Promise<Report> {
  return await report('scale', options, measure);
}

/** Measures groups on a store that a server keeps. */
export async function scaleOn(backend: Backend, options: ScaleOptions): Promise<Report> {
  const members = 1 + Math.max(...options.sizes.map((size) => size.members));
  await using open = await backend.open({ members, countsBytes: true });
  return await report(`${backend.name}-scale`, options, async (size) => {
    await using group = groupOfProcesses(open, size);
    return await measured(backend.name, group, size);
  });
}

async function report(
  name: string,
  { sizes, thresholdMs, limitsOf }: ScaleOptions,
  measure: (size: Sized) => Promise<Measured>,
): Promise<Report> {
  const rows: ScaleRow[] = [];
  for (const of of sizes) {
    const size = { ...of, thresholdMs };
    const row = await measure(size);
    rows.push({ ...row, missed: missedBy(row, { ...usualLimits(size), ...limitsOf?.(size) }) });
  }
  const many = Math.max(...rows.map(({ partitions }) => partitions).filter((of) => of <= large));
  const writes = (wanted: number): ReadonlyMap<number, number> =>
    new Map(
      rows
        .filter(({ members, partitions }) => partitions === wanted && members <= few)
        .map(({ members, writesPerS }) => [members, writesPerS]),
    );
  const ofFew = writes(few);
  const [first, ...others] = [...writes(many)]
    .map(([members, ofMany]) => ({ ofMany, ofFew: ofFew.get(members) ?? Number.NaN }))
    .sort((a, b) => b.ofMany / b.ofFew - a.ofMany / a.ofFew);
  if (first === undefined) throw new RangeError('no sizes');
  return {
    figures: figuresOf([first.ofMany], {
      ...{ name, unit: 'writes/s', baseline: first.ofFew, limit, by: 'p50' },
    }),
    against: `${many} partitions against ${few}; the worst of ${others.length + 1} numbers of members counts`,
    notes: rows.map(noteOf),
    rows,
  };
}

function noteOf({ members, partitions, missed, ...row }: ScaleRow): string {
  const values = Object.entries(row)
    .filter(([, value]) => typeof value === 'number' && !Number.isNaN(value))
    .map(([name, value]) => `${name} ${Math.round(Number(value) * 100) / 100}`);
  const exceeds = missed.length > 0 ? ` ✗ ${missed.join(', ')}` : '';
  return `${partitions} × ${members}: ${values.join(', ')}${exceeds}`;
}

/** Measures one group on memory. Runs in a process of its own. */
export async function scaleInProcess(size: Sized): Promise<Measured> {
  await using group = groupInProcess(size);
  return await measured('memory', group, size);
}

/** How long the costs of an idle group are counted. In T. */
const idleThresholds = 2;

async function measured(
  backend: string,
  group: ScaleGroup,
  { members, partitions, thresholdMs }: Sized,
): Promise<Measured> {
  const openAt = await group.join(members);
  const settledAt = await group.settled(members);
  // Members read the last changes until then, on some stores twice.
  await pause(thresholdMs);
  const costs = await idleCosts(group, idleThresholds * thresholdMs);
  const crashedAt = nowMs();
  await group.crash();
  await group.settled(members - 1);
  const taken = group.begunSince(crashedAt);
  // A group that has just moved partitions moves none for 2 T (L9).
  await pause(2 * thresholdMs);
  const joinedAt = await group.join(1);
  const movedAt = await group.settled(members);
  const moved = group.begunSince(joinedAt).length;
  const closedAt = nowMs();
  await group.close();
  const sharedAt = await group.settled(members - 1);
  return {
    ...{ backend, members, partitions, ...costs },
    settleT: (settledAt - openAt) / thresholdMs,
    takeOverFirstMs: (taken.at(0) ?? crashedAt) - crashedAt,
    takeOverLastMs: (taken.at(-1) ?? crashedAt) - crashedAt,
    loopStallMs: await group.stallMs(),
    joinT: Math.max(0, movedAt - joinedAt) / thresholdMs,
    moved,
    closeT: Math.max(0, sharedAt - closedAt) / thresholdMs,
  };
}

function missedBy(row: Measured, limits: Limits): readonly string[] {
  const { takeOverFirstMs, takeOverLastMs } = row;
  const values = {
    ...row,
    takeOverMs: takeOverLastMs - takeOverFirstMs,
  };
  return Object.entries(limits)
    .map(([name, most]) => ({ name, value: values[name as keyof Limits], most }))
    .filter(({ value, most }) => !(value <= most))
    .map(({ name, value, most }) => `${name} ${value.toFixed(2)} > ${most}`);
}

/** Counts the requests and the processor time of an idle group. */
async function idleCosts(group: ScaleGroup, windowMs: number) {
  const [before, beganAt] = [await group.costs(), nowMs()];
  await pause(windowMs);
  const [after, seconds] = [await group.costs(), (nowMs() - beganAt) / 1000];
  return {
    writesPerS: (after.writes - before.writes) / seconds,
    readsPerS: (after.reads - before.reads) / seconds,
    bytesInPerS: (after.bytesIn - before.bytesIn) / seconds,
    bytesOutPerS: (after.bytesOut - before.bytesOut) / seconds,
    cpuPct: (after.cpuMs - before.cpuMs) / 10 / seconds,
  };
}
