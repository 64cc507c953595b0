// A group in several stores: the machines, their source and its leases are the real ones.
import { afterEach, describe, expect, it } from 'vitest';
import { resolveOptions } from '../../src/adapter/resolve-options.ts';
import type { Host, Membership } from '../../src/contract/backend.ts';
import type { SourceOptions } from '../../src/contract/options.ts';
import type { LeadershipSource } from '../../src/contract/source.ts';
import { shardedBackend } from '../../src/lease/backend.ts';
import { pinName, pinText } from '../../src/lease/records.ts';
import { leaseRules } from '../../src/lease/rules.ts';
import { MemoryRows, MemoryStore } from '../../src/memory/memory-rows.ts';
import { openSource } from '../../src/source/open-source.ts';
import { type ManualClock, manualClock } from '../support/manual-clock.ts';

const thresholdMs = 1000;
const partitions = 7;

interface Member {
  readonly source: LeadershipSource;
  readonly membership: Membership;
  /** The connections to the stores, as far as they were opened. */
  readonly rows: readonly MemoryRows[];
}

let clock: ManualClock;
const members: Member[] = [];

afterEach(async () => {
  const closed = members.splice(0).map(({ source }) => source.close());
  await clock.pass(3 * thresholdMs);
  await Promise.all(closed);
  expect(clock.pending).toBe(0);
});

function newStores(count: number): readonly MemoryStore[] {
  clock = manualClock();
  return Array.from({ length: count }, () => new MemoryStore());
}

function join(
  stores: readonly MemoryStore[],
  member: string,
  options: SourceOptions = {},
  prepare: (rows: MemoryRows) => void = () => undefined,
  count: number = stores.length,
): Member {
  const rows: MemoryRows[] = [];
  const resolved = resolveOptions({
    group: 'g',
    member,
    partitions,
    thresholdMs,
    driftRate: 0,
    ...options,
  });
  const backend = shardedBackend(
    resolved,
    () => ({
      count: async () => count,
      open(index) {
        const own = new MemoryRows(stores[index] ?? new MemoryStore());
        prepare(own);
        rows.push(own);
        return own;
      },
    }),
    {},
    { ...leaseRules, emptyMs: () => 0 },
  );
  const held: { membership?: Membership } = {};
  const start = (host: Host): Membership => {
    held.membership = backend.start(host);
    return held.membership;
  };
  const { guarantees } = backend;
  const source = openSource({ guarantees, start }, resolved, { clock, random: () => 0.5 });
  if (held.membership === undefined) throw new Error('the source did not start its backend');
  const joined = { source, membership: held.membership, rows };
  members.push(joined);
  return joined;
}

const led = ({ source }: Member): readonly number[] => [...source.held().keys()].sort();
const all = [0, 1, 2, 3, 4, 5, 6];

async function settled(...of: readonly Member[]): Promise<void> {
  await clock.pass(6 * thresholdMs);
  expect(of.flatMap(led).sort()).toEqual(all);
}

describe('a group in several stores (M12)', () => {
  it('has partition p in store p mod L, and even shares over all stores', async () => {
    const stores = newStores(3);
    const [a, b] = [join(stores, 'a'), join(stores, 'b')];
    await settled(a, b);
    expect([led(a).length, led(b).length].sort()).toEqual([3, 4]);
    const rows = stores.map((store) => [...store.rows.rows.keys()]);
    const kept = rows.map((names) => names.filter((name) => name.startsWith('partition#')).length);
    expect(kept).toEqual([3, 2, 2]);
  });

  it.each([2, 3, 4, 5])('has shares that differ by at most one with %i members', async (count) => {
    const stores = newStores(3);
    const joined = Array.from({ length: count }, (_, index) => join(stores, `m${index}`));
    await settled(...joined);
    await clock.pass(10 * thresholdMs);
    const shares = joined.map((member) => led(member).length);
    expect(Math.max(...shares) - Math.min(...shares)).toBeLessThanOrEqual(1);
  });

  it('ends no term of a group in one store because members join', async () => {
    const stores = newStores(1);
    const first = join(stores, 'a', { partitions: 1 });
    await clock.pass(6 * thresholdMs);
    const token = first.source.role(0).term()?.token;
    for (const name of ['b', 'c', 'd', 'e', 'f', 'g']) {
      join(stores, name, { partitions: 1 });
      await clock.pass(4 * thresholdMs);
    }
    expect(token).toBeDefined();
    expect(first.source.role(0).term()?.token).toBe(token);
  });

  it('loses the share of a store that is cut off, and no other term', async () => {
    const stores = newStores(2);
    const [a, b] = [join(stores, 'a'), join(stores, 'b')];
    await settled(a, b);
    const before = [led(a), led(b)];
    const tokens = [a, b].map(({ source }) => new Map(source.held()));
    for (const { rows } of [a, b]) rows[1]?.cut();
    await clock.pass(2 * thresholdMs);
    for (const [index, member] of [a, b].entries()) {
      expect(led(member)).toEqual(before[index]?.filter((partition) => partition % 2 === 0));
      for (const [partition, term] of member.source.held())
        expect(term.token).toBe(tokens[index]?.get(partition)?.token);
    }
    expect(a.source.health().ok).toBe(false);
    for (const { rows } of [a, b]) rows[1]?.mend();
    await settled(a, b);
    expect(a.source.health().ok).toBe(true);
  });

  it('prolongs only the terms of the store that has answered', async () => {
    const stores = newStores(2);
    const a = join(stores, 'a');
    await settled(a);
    a.rows[0]?.cut();
    await clock.pass(0.9 * thresholdMs);
    const until = (partition: number): number => a.source.role(partition).remainingMs();
    expect(until(0)).toBeLessThan(0.4 * thresholdMs);
    expect(until(1)).toBeGreaterThan(0.6 * thresholdMs);
    await clock.pass(0.5 * thresholdMs);
    expect(led(a)).toEqual([1, 3, 5]);
  });

  it('uses as many stores as its pin says, whatever a later member would use', async () => {
    const stores = newStores(3);
    const a = join(stores, 'a', {}, undefined, 2);
    await settled(a);
    const b = join(stores, 'b');
    await settled(a, b);
    expect(b.rows).toHaveLength(2);
    expect(stores[2]?.rows.rows.size).toBe(0);
  });

  it('agrees on the number of stores if two members begin at once', async () => {
    const stores = newStores(3);
    const [a, b] = [join(stores, 'a'), join(stores, 'b', {}, undefined, 2)];
    await settled(a, b);
    expect(a.rows.length).toBe(b.rows.length);
  });

  it('refuses a member with another number of partitions once, with the values of the group', async () => {
    const stores = newStores(2);
    const a = join(stores, 'a');
    await settled(a);
    const b = join(stores, 'b', { partitions: 8 });
    const ready = b.source.ready();
    const refused = expect(ready).rejects.toMatchObject({
      code: 'partitions-differ',
      message: expect.stringContaining(
        'runs with partitions 7, thresholdMsMax 1000, but this member is configured with partitions 8,',
      ),
    });
    await clock.pass(2 * thresholdMs);
    await refused;
    // No machine of another store has begun before the pins were compared.
    expect(b.rows).toHaveLength(1);
    await b.membership.died?.('another');
    await settled(a);
  });

  it('lets an observer wait for the member that opens the group, and become a candidate', async () => {
    const stores = newStores(2);
    const a = join(stores, 'a', { campaign: false });
    await clock.pass(thresholdMs);
    await a.source.ready();
    expect(a.source.health().troubles).toMatchObject([{ message: expect.stringContaining('"g"') }]);
    const b = join(stores, 'b');
    await settled(b);
    expect(a.source.health().troubles).toEqual([]);
    expect(a.source.role(3).leader()?.member).toBe('b');
    a.membership.campaign(true);
    await settled(a, b);
    expect(led(a).length).toBeGreaterThan(2);
  });

  it('begins once the first store answers, reports why it does not, and keeps what was asked before', async () => {
    const stores = newStores(2);
    const a = join(stores, 'a', {}, (rows) => rows.cut());
    a.membership.campaign(false);
    await clock.pass(6 * thresholdMs);
    expect(a.source.health().troubles).toHaveLength(1);
    expect(stores[0]?.rows.rows.size).toBe(0);
    for (const rows of a.rows) rows.mend();
    const b = join(stores, 'b');
    await settled(b);
    for (const rows of a.rows) rows.mend();
    await clock.pass(thresholdMs);
    expect(led(a)).toEqual([]);
    a.membership.campaign(true);
    await clock.pass(6 * thresholdMs);
    expect(led(a).length).toBeGreaterThan(2);
  });

  it('can be closed before it has begun', async () => {
    const a = join(newStores(2), 'a', {}, (rows) => rows.cut());
    await clock.pass(1);
    await a.source.close();
    expect(a.rows).toHaveLength(1);
  });

  it('resigns, and hands over, by the numbers of the group', async () => {
    const stores = newStores(3);
    const [a, b] = [join(stores, 'a'), join(stores, 'b')];
    await settled(a, b);
    const [partition = 0] = led(a).filter((one) => one > 2);
    const resigned = a.source.role(partition).resign();
    await clock.pass(0.2 * thresholdMs);
    await resigned;
    expect(led(a)).not.toContain(partition);
    expect(led(b)).toContain(partition);
  });

  it('keeps texts in its first store, and closes what it has opened for them', async () => {
    const stores = newStores(2);
    const [a, b] = [join(stores, 'a'), join(stores, 'b')];
    await settled(a, b);
    const replaced = async ({ membership }: Member): Promise<string | undefined> => {
      const done = membership.replaceText?.('tick/x', (text = '') => `${text}.`);
      await clock.pass(thresholdMs);
      return done;
    };
    expect([await replaced(a), await replaced(b)]).toEqual(['.', '..']);
    expect(stores[0]?.rows.rows.get('kept#tick/x')).toBe('..');
    expect(a.rows).toHaveLength(3);
    const closed = a.source.close();
    await clock.pass(2 * thresholdMs);
    await closed;
    const late = a.rows[2]?.exchange(
      { changes: [], since: undefined },
      new AbortController().signal,
    );
    await expect(late).rejects.toMatchObject({ code: 'closed' });
  });

  it('refuses a first store whose pin has no sessions', async () => {
    const stores = newStores(2);
    stores[0]?.rows.put(pinName, '{"partitions":7,"thresholdMsMax":1000}');
    const a = join(stores, 'a');
    const refused = expect(a.source.ready()).rejects.toMatchObject({ code: 'partitions-differ' });
    await clock.pass(thresholdMs);
    await refused;
    expect(a.rows).toHaveLength(1);
  });

  it.each(['', '{', 'null'])('refuses a first store whose pin was edited to %j', async (text) => {
    const stores = newStores(2);
    stores[0]?.rows.put(pinName, text);
    const a = join(stores, 'a');
    const refused = expect(a.source.ready()).rejects.toMatchObject({
      code: 'misconfigured-backend',
      message: expect.stringMatching(
        /^row "pin" of group "g" .*restore the text, or remove the row/,
      ),
    });
    await clock.pass(thresholdMs);
    await refused;
  });

  it('asks four times in T for a pin that can be neither read nor written, and reports it', async () => {
    const stores = newStores(2);
    stores[0]?.rows.put(pinName, pinText(partitions, thresholdMs, { shards: '2' }, 'x'));
    let isHidden = true;
    let requests = 0;
    const a = join(stores, 'a', {}, (rows) => {
      const { exchange } = rows;
      rows.exchange = async (...request) => {
        requests += 1;
        const answer = await exchange.apply(rows, request);
        return isHidden ? { ...answer, rows: [] } : answer;
      };
    });
    await clock.pass(10 * thresholdMs);
    expect(requests).toBeLessThan(2 * (4 * 10 + 4));
    expect(a.source.health().troubles).toMatchObject([
      { code: 'misconfigured-backend', message: expect.stringMatching(/refuses to write it/) },
    ]);
    isHidden = false;
    await settled(a);
    expect(a.source.health().troubles).toEqual([]);
  });

  it('refuses a store that is one of another number', async () => {
    const stores = newStores(2);
    stores[1]?.rows.put(pinName, pinText(partitions, thresholdMs, { shards: '3' }, 'x'));
    const a = join(stores, 'a');
    const message = expect.stringContaining(
      'runs with shards "3", but this member is configured with "2"',
    );
    await clock.pass(2 * thresholdMs);
    expect(a.source.health().troubles).toContainEqual(expect.objectContaining({ message }));
  });
});
