import type { Exchanged, Instant, RowChange, Rows } from '@leadership/core/adapter';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Item, textField } from '../../src/table/layout.ts';
import { noNotifications } from '../../src/table/notifications.ts';
import { sessionRows } from '../../src/table/session-rows.ts';
import { storeOf } from '../../src/table/store.ts';
import { fakeHost } from '../support/fake-host.ts';
import { type PlainTable, plainTable } from '../support/plain-table.ts';

const thresholdMs = 3000;
const { signal } = new AbortController();

/** A member that exchanges, with its session in the first change of each request. */
class Member {
  readonly name: string;
  readonly rows: Rows;
  #position: unknown;
  #session: string | null = null;
  #renewals = 0;

  constructor(table: PlainTable, name: string, clock = { ms: 0 }) {
    const host = fakeHost(name);
    const now = (): Instant => clock.ms as Instant;
    const store = storeOf(
      { table, group: 'g', thresholdMs },
      { ...host, incarnation: name, clock: { ...host.clock, now } },
    );
    this.name = name;
    this.rows = sessionRows(store, {
      thresholdMsMax: thresholdMs,
      create: false,
      notifications: noNotifications,
      close: () => undefined,
    });
  }

  /** Renews, and makes the changes. Resolves with the rows that it did not know. */
  async exchange(...changes: readonly RowChange[]): Promise<Record<string, string | null>> {
    return Object.fromEntries((await this.send(...changes)).rows);
  }

  async send(...changes: readonly RowChange[]): Promise<Exchanged> {
    const first = this.#position === undefined;
    const answer = await this.rows.exchange(
      { changes: first ? [] : [this.#renewal(), ...changes], since: this.#position },
      signal,
    );
    this.#position = answer.position;
    if (answer.outcomes[0]) this.#session = String(this.#renewals);
    return answer;
  }

  async read(): Promise<Record<string, string | null>> {
    const answer = await this.rows.exchange({ changes: [], since: this.#position }, signal);
    this.#position = answer.position;
    return Object.fromEntries(answer.rows);
  }

  #renewal(): RowChange {
    this.#renewals += 1;
    const name = `session#${this.name}/1`;
    return { name, expected: this.#session, text: String(this.#renewals) };
  }
}

const p0 = 'partition#0';
const itemOf = (name: string, text: string): Item => ({
  group: { S: 'g' },
  item: { S: name },
  [textField]: { S: text },
});
const ofPartitions = ({ asked }: PlainTable): number =>
  asked.filter(({ kind, item }) => kind === 'items' && item === 'partition#').length;

let table: PlainTable;
let clock: { ms: number };
let [writer, reader]: Member[] = [];
beforeEach(async () => {
  table = plainTable();
  clock = { ms: 1 };
  writer = new Member(table, 'writer', clock);
  reader = new Member(table, 'reader', clock);
  await writer.send();
  await reader.send();
});

describe('the rows of a group', () => {
  it('are items under the names of the rows, and those of partitions come before all others', async () => {
    await writer?.send(
      { name: 'pin', expected: null, text: 'a' },
      { name: 'member#writer', expected: null, text: 'b' },
      { name: p0, expected: null, text: 'c' },
    );
    expect([...table.stored.keys()].sort()).toEqual([
      p0,
      'partitions',
      'pin',
      'session#writer/1',
      '~member#writer',
    ]);
  });

  it('are read without those of partitions while no member changes any', async () => {
    await writer?.send({ name: p0, expected: null, text: 'a' });
    await reader?.read();
    // Its own reading after the creation.
    await writer?.send();
    const before = ofPartitions(table);
    for (let renewal = 0; renewal < 5; renewal += 1) {
      await writer?.send();
      await reader?.read();
    }
    expect(ofPartitions(table)).toBe(before);
  });

  it('of partitions are shown to others although the member ends before the reply', async () => {
    await writer?.send({ name: p0, expected: null, text: 'a' });
    await reader?.read();
    table.after = ({ item }) => {
      if (item === p0) throw new Error('the reply is lost');
    };
    await expect(writer?.send({ name: p0, expected: 'a', text: 'b' })).rejects.toThrow('is lost');
    expect(await reader?.read()).toMatchObject({ [p0]: 'b' });
  });

  it('of partitions are shown that change after a reading has found the count already', async () => {
    await writer?.send({ name: p0, expected: null, text: 'a' });
    await reader?.read();
    let during: Record<string, string | null> | undefined;
    table.before = async ({ kind, item }) => {
      if (kind === 'put' && item === p0) during = await reader?.read();
    };
    await writer?.send({ name: p0, expected: 'a', text: 'b' });
    table.before = undefined;
    expect(during).not.toHaveProperty(p0);
    // Its renewal closes the count before the other member reads again.
    await writer?.send();
    expect(await reader?.read()).toMatchObject({ [p0]: 'b' });
  });

  it('of partitions are shown that change late, up to T after the request was given up', async () => {
    await writer?.send({ name: p0, expected: null, text: 'a' });
    table.before = ({ kind, item }) => {
      if (kind === 'put' && item === p0) throw new Error('given up');
    };
    await expect(writer?.send({ name: p0, expected: 'a', text: 'b' })).rejects.toThrow('given up');
    table.before = undefined;
    await writer?.read();
    await reader?.read();
    table.stored.set(p0, itemOf(p0, 'b'));
    expect(await reader?.read()).toMatchObject({ [p0]: 'b' });
  });

  it('of partitions do not change with a session that another member has deposed', async () => {
    await writer?.send({ name: p0, expected: null, text: 'a' });
    await writer?.send();
    table.stored.set('session#writer/1', itemOf('session#writer/1', 'deposed'));
    const answer = await writer?.send({ name: p0, expected: 'a', text: 'b' });
    expect(answer?.outcomes).toEqual([false, false]);
    expect(table.stored.get(p0)?.[textField]).toEqual({ S: 'a' });
  });

  it('of partitions are created together with a mark, so that all members see a new life', async () => {
    await writer?.send({ name: p0, expected: null, text: 'a' });
    await reader?.read();
    table.stored.delete(p0);
    await writer?.send({ name: p0, expected: null, text: 'b' });
    expect(await reader?.read()).toMatchObject({ [p0]: 'b' });
  });

  it('of partitions are created although other members have created some of them', async () => {
    table.stored.set(p0, itemOf(p0, 'a'));
    const answer = await writer?.send(
      { name: p0, expected: null, text: 'b' },
      { name: 'partition#1', expected: null, text: 'c' },
    );
    expect(answer?.outcomes).toEqual([true, false, true]);
    expect(table.stored.get(p0)?.[textField]).toEqual({ S: 'a' });
  });

  it('that name a member are read again every T_max, and all others every 10 T_max', async () => {
    const own = JSON.stringify({ session: 'writer/1' });
    await writer?.send(
      { name: p0, expected: null, text: own },
      { name: 'partition#1', expected: null, text: 'a' },
    );
    await writer?.send();
    table.stored.delete(p0);
    table.stored.delete('partition#1');
    expect(await writer?.read()).not.toHaveProperty(p0);
    clock.ms += thresholdMs;
    expect(await writer?.read()).toEqual({ [p0]: null });
    clock.ms += 9 * thresholdMs;
    expect(await writer?.read()).toEqual({ 'partition#1': null });
  });

  it('that name a member are read by one query of all where that costs less', async () => {
    const own = JSON.stringify({ session: 'writer/1' });
    const names = Array.from({ length: 20 }, (_, index) => `partition#${index}`);
    const asked = (kind: string): number => table.asked.filter((one) => one.kind === kind).length;
    await writer?.send(...names.map((name) => ({ name, expected: null, text: own })));
    await writer?.send();
    const before = ofPartitions(table);
    clock.ms += thresholdMs;
    await writer?.read();
    expect([asked('get'), ofPartitions(table)]).toEqual([0, before + 1]);
    for (const name of names.slice(1)) table.stored.set(name, itemOf(name, 'x'.repeat(4096)));
    clock.ms += thresholdMs;
    await writer?.read();
    clock.ms += thresholdMs;
    await writer?.read();
    expect([asked('get'), ofPartitions(table)]).toEqual([1, before + 2]);
  });
});

describe('an item whose text attribute a stranger wrote', () => {
  const strange: Readonly<Record<string, Item>> = {
    missing: {},
    'a number': { [textField]: { N: '7' } },
    binary: { [textField]: { B: new Uint8Array([1, 2]) } },
  };
  const keysOf = (name: string): Item => ({ group: { S: 'g' }, item: { S: name } });
  const spoil = (attributes: Item): void =>
    void table.stored.set('row', { ...keysOf('row'), ...attributes });
  const read = async (): Promise<string | null> => (await reader?.read())?.['row'] ?? null;
  const replace = async (expected: string | null, text: string | null): Promise<boolean> =>
    (await reader?.send({ name: 'row', expected, text }))?.outcomes[1] === true;

  it.each(Object.entries(strange))('is a row with a text: %s', async (_what, attributes) => {
    spoil(attributes);
    const text = await read();
    expect(text).toMatch(/^no text: /);
    expect(await replace(text, 'two')).toBe(true);
    expect(table.stored.get('row')).toEqual(itemOf('row', 'two'));
  });

  it.each(Object.entries(strange))(
    'is not replaced once it was changed or deleted: %s',
    async (_what, attributes) => {
      for (const other of [{ N: '8' }, { S: 'x' }]) {
        spoil(attributes);
        const text = await read();
        // The exchange reads before it changes, so the item changes in between.
        table.before = ({ kind, item }) =>
          kind === 'put' && item === 'row' ? spoil({ [textField]: other }) : undefined;
        expect(await replace(text, 'two')).toBe(false);
        table.before = undefined;
      }
      spoil(attributes);
      const text = await read();
      table.stored.delete('row');
      expect(await replace(text, 'two')).toBe(false);
      expect(await replace(text, null)).toBe(false);
      expect(table.stored.has('row')).toBe(false);
    },
  );

  it('does not change how the same text is read in another item', async () => {
    spoil({ [textField]: { N: '7' } });
    const text = (await read()) ?? '';
    table.stored.set('sow', itemOf('sow', text));
    await reader?.read();
    const same = { name: 'sow', expected: text, text: 'two' };
    expect((await reader?.send(same))?.outcomes[1]).toBe(true);
    expect(await replace(text, 'two')).toBe(true);
  });
});
