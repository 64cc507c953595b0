// Measures what a group costs and how fast it is with few and many partitions: in one process, over
// rows in memory, through the whole source.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import type { LeadershipSource } from '@leadership/core';
import { openSource, resolveOptions } from '@leadership/core/adapter';
import {
  type Exchange,
  type Exchanged,
  leaseBackend,
  MemoryRows,
  MemoryStore,
} from '@leadership/core/internal/rows';
import { inOwnProcess } from '../measure/own-process.ts';
import { figuresOf, type Report } from '../report/figures.ts';

/** The size of a group, and T. */
export interface ScaleSize {
  readonly members: number;
  readonly partitions: number;
}

/** The sizes to measure. */
export const scaleSizes: readonly ScaleSize[] = [1, 8, 256, 1000, 10_000].flatMap((partitions) =>
  [3, 10].map((members) => ({ members, partitions })),
);

/** The sizes whose writes are compared. */
const compared = { many: 1000, few: 8 } as const;
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
  /** The times from the cut of a member to the first and the last of its partitions' next terms. */
  readonly takeOverFirstMs: number;
  readonly takeOverLastMs: number;
  readonly loopStallMs: number;
  /** The time from the opening of one more member until its share has moved. In T. */
  readonly joinT: number;
  /** The number of terms that began because of it. */
  readonly moved: number;
  /** The other limits that this group exceeds. */
  readonly missed: readonly string[];
}

/** The limits beside that of the ratio. In T, milliseconds and terms. */
function limitsOf({ members, partitions }: ScaleSize) {
  const isLarge = partitions > compared.many;
  return {
    settleT: isLarge ? 4 : 1.5,
    joinT: isLarge ? 3 : 2.5,
    takeOverMs: partitions > compared.many ? Number.POSITIVE_INFINITY : 250,
    loopStallMs: 100,
    // One member is cut off before the other joins.
    moved: Math.ceil(partitions / members),
  };
}

interface ScaleOptions {
  readonly sizes: readonly ScaleSize[];
  readonly thresholdMs: number;
}

const inChild = inOwnProcess(import.meta.url, scaleRow);

/** Runs the benchmark. */
export async function scale(
  { sizes, thresholdMs }: ScaleOptions,
  measure: typeof scaleRow = inChild,
): Promise<Report> {
  const rows: ScaleRow[] = [];
  for (const size of sizes) rows.push(await measure({ ...size, thresholdMs }));
  const writes = (wanted: number): ReadonlyMap<number, number> =>
    new Map(
      rows
        .filter(({ partitions }) => partitions === wanted)
        .map(({ members, writesPerS }) => [members, writesPerS]),
    );
  const few = writes(compared.few);
  const [first, ...others] = [...writes(compared.many)]
    .map(([members, many]) => ({ many, few: few.get(members) ?? Number.NaN }))
    .sort((a, b) => b.many / b.few - a.many / a.few);
  if (first === undefined) throw new RangeError(`no group has ${compared.many} partitions`);
  return {
    figures: figuresOf([first.many], {
      name: 'scale',
      unit: 'writes/s',
      baseline: first.few,
      limit,
      by: 'p50',
    }),
    against: `as many members with ${compared.few} partitions; the worst of ${others.length + 1} numbers of members counts`,
    notes: rows.map(noteOf),
    rows,
  };
}

function noteOf({ members, partitions, missed, ...row }: ScaleRow): string {
  const values = Object.entries(row)
    .filter(([, value]) => typeof value === 'number')
    .map(([name, value]) => `${name} ${Math.round(Number(value) * 100) / 100}`);
  const exceeds = missed.length > 0 ? ` ✗ ${missed.join(', ')}` : '';
  return `${partitions} × ${members}: ${values.join(', ')}${exceeds}`;
}

/** The requests that a store has received, and their bytes. */
interface Counts {
  writes: number;
  reads: number;
  bytesIn: number;
  bytesOut: number;
}

/** The rows of a group as one member reaches them. They count what the store receives. */
class CountedRows extends MemoryRows {
  readonly #counts: Counts;

  constructor(store: MemoryStore, counts: Counts) {
    super(store);
    this.#counts = counts;
  }

  override async exchange(request: Exchange, signal: AbortSignal): Promise<Exchanged> {
    const answer = await super.exchange(request, signal);
    const counts = this.#counts;
    if (request.changes.length > 0) counts.writes += 1;
    else counts.reads += 1;
    for (const { name, expected, text } of request.changes)
      counts.bytesIn += bytesOf(name, expected, text);
    for (const [name, text] of answer.rows) counts.bytesOut += bytesOf(name, text);
    return answer;
  }
}

function bytesOf(...texts: readonly (string | null)[]): number {
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text ?? ''), 0);
}

/** A group in this process. */
class Group {
  readonly sources: LeadershipSource[] = [];
  readonly counts: Counts = { writes: 0, reads: 0, bytesIn: 0, bytesOut: 0 };
  readonly #store = new MemoryStore();
  readonly #partitions: number;
  readonly #thresholdMs: number;
  readonly #rows: CountedRows[] = [];
  /** The number of terms that have begun, and when the first and the last did, or the last ended. */
  begun = 0;
  firstAt = 0;
  lastAt = 0;
  #led = 0;
  readonly #shares = new Map<string, number>();

  constructor(partitions: number, thresholdMs: number) {
    this.#partitions = partitions;
    this.#thresholdMs = thresholdMs;
  }

  join(): void {
    const member = `m${this.sources.length}`;
    const options = resolveOptions({
      ...{ group: 'scale', member, partitions: this.#partitions, log: false },
      thresholdMs: this.#thresholdMs,
    });
    const rows = new CountedRows(this.#store, this.counts);
    const source = openSource(
      leaseBackend(options, () => rows, { assumes: [] }),
      options,
    );
    source.events$.subscribe(({ kind }) => {
      if (kind === 'acquired') this.#changed(member, 1);
      else if (kind === 'released' || kind === 'fenced') this.#changed(member, -1);
    });
    this.sources.push(source);
    this.#rows.push(rows);
  }

  /** Cuts the member off that joined first. It no longer counts. */
  cut(): void {
    this.#rows[0]?.cut();
  }

  /** Resolves with the instant of the last change, once every partition is led and nothing changes. */
  async settled(members: number, timeoutThresholds: number): Promise<number> {
    const until = performance.now() + timeoutThresholds * this.#thresholdMs;
    const partitions = this.#partitions;
    const isShared = (): boolean => {
      const shares = [...this.#shares.values()].filter((share) => share > 0);
      return (
        this.#led === partitions &&
        Math.max(...shares) <= Math.ceil(partitions / members) &&
        (partitions < members || Math.min(...shares) >= Math.floor(partitions / members))
      );
    };
    while (performance.now() < until) {
      if (isShared() && performance.now() - this.lastAt > this.#thresholdMs / 2) return this.lastAt;
      await pause(20);
    }
    return Number.NaN;
  }

  restart(): void {
    this.begun = 0;
    this.firstAt = 0;
  }

  #changed(member: string, by: 1 | -1): void {
    this.lastAt = performance.now();
    this.#led += by;
    this.#shares.set(member, (this.#shares.get(member) ?? 0) + by);
    if (by < 0) return;
    this.begun += 1;
    if (this.firstAt === 0) this.firstAt = this.lastAt;
  }
}

/** The sampling interval of the event loop. Milliseconds. */
const resolutionMs = 10;
/** How long the costs of an idle group are counted, and the longest wait for it to settle. In T. */
const idleThresholds = 2;
const timeoutThresholds = 12;

/** Measures one group. Runs in a process of its own. */
export async function scaleRow({
  members,
  partitions,
  thresholdMs,
}: ScaleSize & { readonly thresholdMs: number }): Promise<ScaleRow> {
  const group = new Group(partitions, thresholdMs);
  const loop = monitorEventLoopDelay({ resolution: resolutionMs });
  loop.enable();
  const beganAt = performance.now();
  for (let index = 0; index < members; index += 1) {
    group.join();
    // Members are processes of their own elsewhere: here each begins in a turn of its own.
    await pause(0);
  }
  const settledAt = await group.settled(members, timeoutThresholds);
  const costs = await idleCosts(group.counts, idleThresholds * thresholdMs);
  group.restart();
  const cutAt = performance.now();
  group.cut();
  await group.settled(members - 1, timeoutThresholds);
  const takeOver = { takeOverFirstMs: group.firstAt - cutAt, takeOverLastMs: group.lastAt - cutAt };
  // A group that has just moved partitions moves none for 2 T (L9).
  await pause(2 * thresholdMs);
  group.restart();
  const joinedAt = performance.now();
  group.join();
  const movedAt = await group.settled(members, timeoutThresholds);
  const row = {
    ...{ backend: 'memory', members, partitions, ...costs },
    settleT: (settledAt - beganAt) / thresholdMs,
    ...takeOver,
    loopStallMs: Math.max(0, loop.max / 1e6 - resolutionMs),
    joinT: Math.max(0, movedAt - joinedAt) / thresholdMs,
    moved: group.begun,
  };
  const now = AbortSignal.abort();
  await Promise.all(group.sources.map((source) => source.close({ signal: now })));
  return { ...row, missed: missedBy(row) };
}

function missedBy(row: Omit<ScaleRow, 'missed'>): readonly string[] {
  const limits = limitsOf(row);
  const { settleT, joinT, loopStallMs, moved, takeOverFirstMs, takeOverLastMs } = row;
  const values = {
    ...{ settleT, joinT, loopStallMs, moved },
    takeOverMs: takeOverLastMs - takeOverFirstMs,
  };
  return Object.entries(values)
    .map(([name, value]) => ({ name, value, most: limits[name as keyof typeof limits] }))
    .filter(({ value, most }) => !(value <= most))
    .map(({ name, value, most }) => `${name} ${value.toFixed(2)} > ${most}`);
}

/** Counts the requests and the processor time of an idle group. */
async function idleCosts(counts: Counts, windowMs: number) {
  const [before, cpu, beganAt] = [{ ...counts }, process.cpuUsage(), performance.now()];
  await pause(windowMs);
  const seconds = (performance.now() - beganAt) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  return {
    writesPerS: (counts.writes - before.writes) / seconds,
    readsPerS: (counts.reads - before.reads) / seconds,
    bytesInPerS: (counts.bytesIn - before.bytesIn) / seconds,
    bytesOutPerS: (counts.bytesOut - before.bytesOut) / seconds,
    cpuPct: (user + system) / 1e4 / seconds,
  };
}
