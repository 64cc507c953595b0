// A group whose members and whose store share this process: over rows in memory.
import { setTimeout as pause } from 'node:timers/promises';
import type { LeadershipSource } from '@leadership/core';
import {
  type Exchange,
  type Exchanged,
  leaseBackend,
  openSource,
  resolveOptions,
} from '@leadership/core/adapter';
import { MemoryRows, MemoryStore } from '@leadership/core/internal/rows';
import { ownStall } from '@leadership/testkit/internal';
import { isEven } from './leaders.ts';
import {
  type Costs,
  nowMs,
  quietThresholds,
  type ScaleGroup,
  type Sized,
  timeoutThresholds,
} from './scale-group.ts';

/** Opens a group without members. */
export function groupInProcess(size: Sized): ScaleGroup {
  return new Group(size);
}

/** The requests that a store has received, and their bytes. */
type Counts = { -readonly [name in Exclude<keyof Costs, 'cpuMs'>]: number };

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

class Group implements ScaleGroup {
  readonly #sources: LeadershipSource[] = [];
  readonly #counts: Counts = { writes: 0, reads: 0, bytesIn: 0, bytesOut: 0 };
  readonly #store = new MemoryStore();
  readonly #partitions: number;
  readonly #thresholdMs: number;
  readonly #rows: CountedRows[] = [];
  readonly #stall = ownStall();
  readonly #begunAt: number[] = [];
  #changedAt = 0;
  #led = 0;
  readonly #shares = new Map<string, number>();

  constructor({ partitions, thresholdMs }: Sized) {
    this.#partitions = partitions;
    this.#thresholdMs = thresholdMs;
  }

  async join(count: number): Promise<number> {
    const openAt = nowMs();
    for (let joined = 0; joined < count; joined += 1) {
      this.#open(`m${this.#sources.length}`);
      // Members are processes of their own elsewhere: here each begins in a turn of its own.
      await pause(0);
    }
    return openAt;
  }

  async crash(): Promise<void> {
    const leader = this.#sources.findIndex((source) => source.held().size > 0);
    this.#rows[leader]?.cut();
    // It leads until its deadline: the group would count as settled before.
    while ((this.#shares.get(`m${leader}`) ?? 0) > 0) await pause(1);
  }

  async close(): Promise<void> {
    await this.#sources.at(-1)?.close();
  }

  async settled(members: number): Promise<number> {
    const until = nowMs() + timeoutThresholds * this.#thresholdMs;
    const quietMs = quietThresholds * this.#thresholdMs;
    while (nowMs() < until) {
      if (this.#isEven(members) && nowMs() - this.#changedAt > quietMs) return this.#changedAt;
      await pause(20);
    }
    return Number.NaN;
  }

  begunSince(since: number): readonly number[] {
    return this.#begunAt.filter((at) => at >= since);
  }

  async costs(): Promise<Costs> {
    const { user, system } = process.cpuUsage();
    return { ...this.#counts, cpuMs: (user + system) / 1000 };
  }

  async stallMs(): Promise<number> {
    return this.#stall.longestMs;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stall[Symbol.dispose]();
    const now = AbortSignal.abort();
    await Promise.all(this.#sources.map((source) => source.close({ signal: now })));
  }

  #open(member: string): void {
    const options = resolveOptions({
      ...{ group: 'scale', member, partitions: this.#partitions, log: false },
      thresholdMs: this.#thresholdMs,
    });
    const rows = new CountedRows(this.#store, this.#counts);
    const source = openSource(
      leaseBackend(options, () => rows, { assumes: [] }),
      options,
    );
    source.events$.subscribe(({ kind }) => {
      if (kind === 'acquired') this.#changed(member, 1);
      else if (kind === 'released' || kind === 'fenced') this.#changed(member, -1);
    });
    this.#sources.push(source);
    this.#rows.push(rows);
  }

  #isEven(members: number): boolean {
    const counts = [...this.#shares.values()].filter((share) => share > 0);
    return isEven({ counts, single: this.#led }, { partitions: this.#partitions, members });
  }

  #changed(member: string, by: 1 | -1): void {
    this.#changedAt = nowMs();
    this.#led += by;
    this.#shares.set(member, (this.#shares.get(member) ?? 0) + by);
    if (by > 0) this.#begunAt.push(this.#changedAt);
  }
}
