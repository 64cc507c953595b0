// The second place of the greatest token (T1), between a real machine and rows in memory.
import { afterEach, describe, expect, it } from 'vitest';
import { resolveOptions } from '../../src/adapter/resolve-options.ts';
import { sleep } from '../../src/async/sleep.ts';
import type { LeadershipSource } from '../../src/contract/source.ts';
import { leaseBackendUnder } from '../../src/lease/backend.ts';
import {
  endText,
  incarnationOf,
  noneText,
  noteName,
  noteText,
  sessionName,
} from '../../src/lease/records.ts';
import { type LeaseRules, leaseRules } from '../../src/lease/rules.ts';
import { MemoryRows, MemoryStore } from '../../src/memory/memory-rows.ts';
import { RowStore } from '../../src/rows/row-store.ts';
import type { Rows, TokenFloor } from '../../src/rows/rows.ts';
import { openSource } from '../../src/source/open-source.ts';
import { after } from '../../src/time/instant.ts';
import { listedRows } from '../support/listed-rows.ts';
import { type ManualClock, manualClock } from '../support/manual-clock.ts';

const thresholdMs = 1000;

/** A second place in memory, which a test can break. */
class Floor implements TokenFloor {
  token = 0n;
  reads = 0;
  readonly raises: bigint[] = [];
  fault: string | undefined;
  /** How long a call takes. */
  takes: () => Promise<void> = () => Promise.resolve();
  /** Calls that have no answer. */
  unanswered = 0;

  /** From now on no call is answered. */
  hang(): void {
    this.takes = () => {
      this.unanswered += 1;
      return new Promise(() => {});
    };
  }

  async read(): Promise<bigint> {
    await this.takes();
    this.#check();
    this.reads += 1;
    return this.token;
  }

  async raise(token: bigint): Promise<void> {
    await this.takes();
    this.#check();
    this.raises.push(token);
    if (token > this.token) this.token = token;
  }

  #check(): void {
    if (this.fault !== undefined) throw new Error(this.fault);
  }
}

const opened: { readonly source: LeadershipSource; readonly clock: ManualClock }[] = [];

afterEach(async () => {
  const closing = opened.splice(0);
  for (const { source, clock } of closing) {
    const closed = source.close();
    await clock.pass(3 * thresholdMs);
    await closed;
  }
  for (const { clock } of closing) expect(clock.pending).toBe(0);
});

function join(store: MemoryStore, floor: Floor, options: Parameters<typeof open>[1] = {}) {
  return open(Object.assign(new MemoryRows(store), { floor }), options);
}

function open(
  rows: Rows,
  { member = 'a', partitions = 1, laterMs = 0, clock = manualClock() } = {},
) {
  const resolved = resolveOptions({ group: 'g', member, partitions, thresholdMs, driftRate: 0 });
  const rules: LeaseRules = {
    ...leaseRules,
    emptyMs: () => 0,
    // How much later each partition is claimed than the one before.
    firstClaimMs: (partition) => laterMs * partition,
  };
  const backend = leaseBackendUnder(rules, resolved, () => rows);
  const source = openSource(backend, resolved, { clock, random: () => 0.5 });
  opened.push({ source, clock });
  const messages = () => source.health().troubles.map(({ message }) => message);
  return { source, clock, messages, token: () => source.role(0).term()?.token };
}

describe('a member whose store keeps the greatest token in a second place (T1)', () => {
  it('claims a new row only after it has read the place, with a greater token that the place has', async () => {
    const floor = new Floor();
    floor.token = 2n ** 60n;
    const { clock, token } = join(new MemoryStore(), floor);
    await clock.pass(1);
    expect(floor.raises).toEqual([2n ** 60n + 1n]);
    expect(token()).toBe(2n ** 60n + 1n);
  });

  it('raises the place once for a claim that the next reading shows, where the store reads first', async () => {
    const [floor, store, clock] = [new Floor(), new RowStore(), manualClock()];
    const changed: string[] = [];
    const rows = listedRows(store, {
      floor,
      async replace(changes, signal) {
        changed.push(...changes.map(({ name }) => name));
        // The wall clock goes on, so a second claim would have a greater token.
        await sleep(clock, 1, signal);
        return changes.map((change) => store.change(change));
      },
    });
    const { source } = open(rows, { clock });
    await clock.pass(thresholdMs / 20);
    expect(source.role(0).isLeading()).toBe(true);
    expect(floor.raises).toHaveLength(1);
    // Its creation, and its claim.
    expect(changed.filter((name) => name === 'partition#0')).toHaveLength(2);
  });

  it('shares a call among all partitions, and renews without one', async () => {
    const floor = new Floor();
    const { source, clock } = join(new MemoryStore(), floor, { partitions: 50 });
    await clock.pass(1);
    expect(source.held().size).toBe(50);
    await clock.pass(2 * thresholdMs);
    expect([floor.reads, floor.raises.length]).toEqual([1, 1]);
  });

  it('claims with the token that it has raised the place to, however long that took', async () => {
    const floor = new Floor();
    const { clock, token } = join(new MemoryStore(), floor);
    floor.takes = () =>
      new Promise((resolve) => clock.wake(after(clock.now(), 5), () => resolve()));
    await clock.pass(20);
    expect(floor.raises).toEqual([token()]);
  });

  it('raises the place while it claims, and begins the term once the place has the token', async () => {
    const [store, floor] = [new MemoryStore(), new Floor()];
    const { source, clock } = join(store, floor);
    let answer: (() => void) | undefined;
    floor.takes = async () => {
      if (floor.reads > 0) await new Promise<void>((resolve) => (answer = resolve));
    };
    await clock.pass(thresholdMs / 20);
    expect([sessionOf(store, 0), source.role(0).isLeading()]).toEqual([expect.any(String), false]);
    answer?.();
    await clock.pass(0);
    expect([floor.token, source.role(0).term()?.token]).toEqual([floor.raises[0], floor.raises[0]]);
  });

  it('releases what it has claimed if the place fails, and claims it again once the place has the token', async () => {
    const [store, floor] = [new MemoryStore(), new Floor()];
    const { source, clock, messages } = join(store, floor);
    floor.takes = async () => {
      if (floor.reads > 0) floor.fault ??= 'read-only';
    };
    await clock.pass(thresholdMs / 20);
    expect(messages()).toEqual([expect.stringContaining('read-only')]);
    expect([sessionOf(store, 0), source.role(0).isLeading()]).toEqual([undefined, false]);
    const changes = store.rows.rows.get('partition#0');
    await clock.pass(2 * thresholdMs);
    expect(store.rows.rows.get('partition#0')).toBe(changes);
    [floor.fault, floor.takes] = [undefined, () => Promise.resolve()];
    await clock.pass(thresholdMs);
    expect([source.role(0).isLeading(), messages()]).toEqual([true, []]);
  });

  it('claims nothing while the place fails, reports that, and asks again', async () => {
    const floor = new Floor();
    floor.fault = 'the second place is away';
    const { source, clock, messages } = join(new MemoryStore(), floor);
    await clock.pass(thresholdMs);
    expect(source.held().size).toBe(0);
    expect(messages()).toEqual([expect.stringContaining('the second place is away')]);
    floor.fault = undefined;
    await clock.pass(thresholdMs / 6);
    expect(source.held().size).toBe(1);
    expect(messages()).toEqual([]);
  });

  it('begins a later term after the rows were lost', async () => {
    const store = new MemoryStore();
    const floor = new Floor();
    const first = join(store, floor);
    await first.clock.pass(1);
    const token = first.token() ?? 0n;
    await Promise.all([first.source.close(), first.clock.pass(thresholdMs)]);
    // The wall clock of the next member is behind the one that has issued the token.
    floor.token += 10n ** 12n;
    const next = join(new MemoryStore(), floor);
    await next.clock.pass(1);
    expect(next.token()).toBeGreaterThan(token + 10n ** 12n);
  });

  it('reads the place again for a row that is new again', async () => {
    const store = new MemoryStore();
    const floor = new Floor();
    const { clock, token } = join(store, floor);
    await clock.pass(1);
    const before = token() ?? 0n;
    floor.token = before + 10n ** 12n;
    store.rows.put('partition#0', noneText(0, 'another life'));
    await clock.pass(2 * thresholdMs);
    expect(token()).toBe(before + 10n ** 12n + 1n);
    expect(floor.reads).toBe(2);
  });

  it('exceeds it in each partition, also in one that is claimed after the reading', async () => {
    const floor = new Floor();
    const ahead = 4n * 10n ** 15n;
    floor.token = ahead;
    const { clock, source } = join(new MemoryStore(), floor, { partitions: 2, laterMs: 100 });
    await clock.pass(500);
    for (const index of [0, 1]) expect(source.role(index).term()?.token).toBeGreaterThan(ahead);
  });

  it('does not adopt a token that leaves no room for later ones', async () => {
    const floor = new Floor();
    floor.token = 2n ** 63n - 1n;
    const { clock, token } = join(new MemoryStore(), floor);
    await clock.pass(1);
    expect(token()).toBeLessThan(2n ** 62n);
  });

  it('hands over in a term whose token the place has, and to no session while the place fails', async () => {
    const store = new MemoryStore();
    const floor = new Floor();
    const clock = manualClock();
    const a = join(store, floor, { clock });
    await clock.pass(10);
    const b = join(store, floor, { member: 'b', clock });
    await clock.pass(10);
    void a.source.role(0).resign();
    await clock.pass(20);
    const handed = b.token();
    expect(handed).toBeDefined();
    expect(floor.raises).toContain(handed);
    floor.fault = 'the second place is away';
    void b.source.role(0).resign();
    await clock.pass(20);
    expect(b.source.role(0).isLeading()).toBe(false);
    expect(JSON.parse(store.rows.rows.get('partition#0') ?? '')).not.toHaveProperty('session');
    floor.fault = undefined;
    await clock.pass(3 * thresholdMs);
    expect(a.source.role(0).isLeading() || b.source.role(0).isLeading()).toBe(true);
  });

  it('releases to no session once its heir has stopped asking, though the place has not answered', async () => {
    const store = new MemoryStore();
    const floor = new Floor();
    const clock = manualClock();
    const a = join(store, floor, { clock, partitions: 2 });
    await clock.pass(10);
    floor.hang();
    join(store, floor, { member: 'b', clock, partitions: 2 });
    const owner = sessionOf(store, 0);
    const owned = (): number => [0, 1].filter((index) => sessionOf(store, index) === owner).length;
    while (floor.unanswered === 0) await clock.pass(1);
    expect(owned()).toBe(2);
    const asks = ([, text]: readonly [string, string]): boolean => /"wants":\[\d/.test(text);
    const [name = '', text = '{}'] = [...store.rows.rows].find(asks) ?? [];
    const asking = JSON.parse(text);
    store.rows.put(name, JSON.stringify({ ...asking, version: asking.version + 1, wants: [] }));
    store.notify();
    await clock.pass(20);
    expect([owned(), a.messages()]).toEqual([1, []]);
  });

  it('releases to no session once the session of its heir has ended, though the place has not answered', async () => {
    const store = new MemoryStore();
    const floor = new Floor();
    const clock = manualClock();
    const a = join(store, floor, { clock, partitions: 2 });
    await clock.pass(10);
    const b = join(store, floor, { member: 'b', partitions: 2 });
    const ledBy = ({ source }: typeof a): number =>
      [0, 1].findIndex((index) => source.role(index).isLeading());
    for (; ledBy(b) < 0; await b.clock.pass(1)) await clock.pass(1);
    // From now on the clock of the heir does not run.
    const [index, heir] = [ledBy(a), String(sessionOf(store, ledBy(b)))];
    floor.hang();
    void a.source.role(index).resign();
    while (floor.unanswered === 0) await clock.pass(1);
    const owner = sessionOf(store, index);
    expect(owner).toBeDefined();
    const { version, at, member, metadata, since } = JSON.parse(
      store.rows.rows.get(sessionName(heir)) ?? '{}',
    );
    // It still is a candidate, by a note.
    const note = noteText({ thresholdMs, at, presence: { member, metadata, since } }, 'by hand');
    store.rows.put(noteName(incarnationOf(heir)), note);
    store.rows.put(sessionName(heir), endText('ended', heir, version + 1));
    store.notify();
    await clock.pass(20);
    expect(sessionOf(store, index)).not.toBe(owner);
    expect(a.messages()).toEqual([]);
  });
});

function sessionOf({ rows }: MemoryStore, partition: number): unknown {
  return JSON.parse(rows.rows.get(`partition#${partition}`) ?? '{}').session;
}
