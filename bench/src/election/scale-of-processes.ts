// A group whose members are processes of their own, on a store that a server keeps.
import type { SpawnedMember } from '@leadership/testkit/faults';
import { type OpenBackend, startMember } from '../backends/backend.ts';
import { isEven, leadersOf, settledLeaders } from './leaders.ts';
import {
  type Costs,
  quietThresholds,
  type ScaleGroup,
  type Sized,
  timeoutThresholds,
} from './scale-group.ts';

/** Opens a group without members. */
export function groupOfProcesses(open: OpenBackend, size: Sized): ScaleGroup {
  return new Group(open, size);
}

class Group implements ScaleGroup {
  readonly #open: OpenBackend;
  readonly #size: Sized;
  readonly #group: string;
  readonly #names: string[] = [];
  #living: readonly SpawnedMember[] = [];
  readonly #stallsMs: number[] = [0];

  constructor(open: OpenBackend, size: Sized) {
    this.#open = open;
    this.#size = size;
    this.#group = `scale-${size.partitions}-${size.members}`;
  }

  async join(count: number): Promise<number> {
    const { partitions, thresholdMs } = this.#size;
    const names = Array.from(
      { length: count },
      (_, index) => `${this.#group}-m${this.#names.length + index}`,
    );
    this.#names.push(...names);
    const joined = await Promise.all(
      names.map((member) =>
        startMember(this.#open, { group: this.#group, member, thresholdMs, partitions }),
      ),
    );
    this.#living = [...this.#living, ...joined];
    await Promise.all(joined.map((member) => member.busyMs()));
    return Math.min(...joined.map(({ events: [first] }) => Number(first?.atNs) / 1e6));
  }

  async crash(): Promise<void> {
    const leader = this.#living.find((member) => leadersOf([member]).led > 0);
    this.#living = this.#living.filter((member) => member !== leader);
    await leader?.kill();
  }

  async close(): Promise<void> {
    await this.#noteStalls();
    const last = this.#living.at(-1);
    this.#living = this.#living.slice(0, -1);
    await last?.close();
  }

  async settled(members: number): Promise<number> {
    const { partitions, thresholdMs } = this.#size;
    const leaders = await settledLeaders(this.#living, {
      isRight: (found) => isEven(found, { partitions, members }),
      quietMs: quietThresholds * thresholdMs,
      timeoutMs: timeoutThresholds * thresholdMs,
    });
    await this.#noteStalls();
    return leaders === undefined ? Number.NaN : Number(leaders.changedNs) / 1e6;
  }

  begunSince(since: number): readonly number[] {
    return this.#living
      .flatMap(({ events }) => events.filter(({ kind }) => kind === 'acquired'))
      .map(({ atNs }) => Number(atNs) / 1e6)
      .filter((at) => at >= since)
      .sort((a, b) => a - b);
  }

  async costs(): Promise<Costs> {
    const { writes = Number.NaN, reads = Number.NaN } =
      (await this.#open.requests?.count(this.#names)) ?? {};
    const { toServer = Number.NaN, toClients = Number.NaN } = this.#open.bytes?.() ?? {};
    const cpuMs = await Promise.all(this.#living.map((member) => member.cpuMs()));
    return {
      ...{ writes, reads, bytesIn: toServer, bytesOut: toClients },
      cpuMs: cpuMs.reduce((sum, ms) => sum + ms, 0),
    };
  }

  async stallMs(): Promise<number> {
    await this.#noteStalls();
    return Math.max(...this.#stallsMs);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#living.map((member) => member.kill()));
  }

  async #noteStalls(): Promise<void> {
    this.#stallsMs.push(...(await Promise.all(this.#living.map((member) => member.busyMs()))));
  }
}
