// A store that is deleted while its members run, and one that others create, between a real machine and
// rows that are listed.
import { expect, it } from 'vitest';
import { resolveOptions } from '../../src/adapter/resolve-options.ts';
import type { LeadershipSource } from '../../src/contract/source.ts';
import { leaseBackend } from '../../src/lease/backend.ts';
import { RowStore } from '../../src/rows/row-store.ts';
import type { Rows } from '../../src/rows/rows.ts';
import { openSource } from '../../src/source/open-source.ts';
import { listedRows } from '../support/listed-rows.ts';
import { type ManualClock, manualClock } from '../support/manual-clock.ts';

const thresholdMs = 1000;

function opened(rows: Rows, clock: ManualClock): LeadershipSource {
  const resolved = resolveOptions({ group: 'g', partitions: 1, thresholdMs, log: false });
  return openSource(
    leaseBackend(resolved, () => rows),
    resolved,
    { clock, random: () => 0.5 },
  );
}

it('a member writes the pin again after the store was deleted, so that no other values take its place (R3)', async () => {
  let [store, history] = [new RowStore(), 1];
  const clock = manualClock();
  const rows = listedRows(store, {
    list: async () => ({ rows: new Map(store.rows), history: `${history}` }),
    replace: async (changes) => changes.map((change) => store.change(change)),
  });
  const source = opened(rows, clock);
  await clock.pass(2 * thresholdMs);
  const pin = store.rows.get('pin') ?? '';
  expect(source.role(0).isLeading()).toBe(true);
  [store, history] = [new RowStore(), 2];
  await clock.pass(thresholdMs);
  const again = store.rows.get('pin') ?? '';
  expect(JSON.parse(again)).toEqual({ ...JSON.parse(pin), id: expect.any(String) });
  await clock.pass(2 * thresholdMs);
  expect(source.role(0).isLeading()).toBe(true);
  const closed = source.close();
  await clock.pass(thresholdMs);
  await closed;
});

it('a member whose store reads first does not report a pin that another member has just written', async () => {
  const store = new RowStore();
  const clock = manualClock();
  let refusals = 0;
  const rows = listedRows(store, {
    async replace(changes) {
      for (const { name, text } of changes)
        if (name === 'pin') {
          store.change({ name, expected: null, text });
          refusals += 1;
        }
      return changes.map((change) => store.change(change));
    },
  });
  const source = opened(rows, clock);
  const reported: string[] = [];
  for (let passed = 0; passed < 2 * thresholdMs; passed += 1) {
    await clock.pass(1);
    reported.push(...source.health().troubles.map(({ code }) => code));
  }
  expect(refusals).toBe(1);
  expect(reported).toEqual([]);
  expect(source.role(0).isLeading()).toBe(true);
  const closed = source.close();
  await clock.pass(thresholdMs);
  await closed;
});

it.each([
  ['shows no new reader a loss', true],
  ['was not in use for a while', false],
])(
  'a member of a store that %s waits for T_max, and reports no loss (M6)',
  async (_, isDoubtedAtFirst) => {
    const store = new RowStore();
    const clock = manualClock();
    let isDoubted = false;
    const rows = (): Rows => {
      const list = async () => ({ rows: new Map(store.rows), isDoubted });
      const listed = listedRows(store, { list });
      return { ...listed, traits: { ...listed.traits, isDoubtedAtFirst } };
    };
    const before = opened(rows(), clock);
    await clock.pass(3 * thresholdMs);
    expect(before.role(0).isLeading()).toBe(true);
    const closed = before.close();
    await clock.pass(thresholdMs);
    await closed;
    isDoubted = !isDoubtedAtFirst;
    const source = opened(rows(), clock);
    await clock.pass(0.9 * thresholdMs);
    expect(source.role(0).isLeading()).toBe(false);
    const codes = source.health().troubles.map(({ code }) => code);
    expect(codes).not.toContain('assumption-broken');
    await clock.pass(0.3 * thresholdMs);
    expect(source.role(0).isLeading()).toBe(true);
    const left = source.close();
    await clock.pass(thresholdMs);
    await left;
  },
);

it('a leader renews again soon after its store has another history, in which the last renewal had no effect (M7)', async () => {
  const [store, clock] = [new RowStore(), manualClock()];
  const sentAt: number[] = [];
  const source = opened(
    {
      name: 'rows',
      traits: { changesMax: 32 },
      async exchange(request) {
        sentAt.push(clock.now());
        return store.exchange(request);
      },
      close: async () => undefined,
    },
    clock,
  );
  await clock.pass(2.5 * thresholdMs);
  expect(source.role(0).isLeading()).toBe(true);
  const token = source.role(0).term()?.token;
  store.restore([...store.rows]);
  const { length } = sentAt;
  await clock.pass(thresholdMs / 2);
  const [first = 0, second = 0] = sentAt.slice(length);
  expect(second - first).toBeLessThan(thresholdMs / 10);
  expect(second).toBeGreaterThan(first);
  await clock.pass(2 * thresholdMs);
  expect(source.role(0).term()?.token).toBe(token);
  const closed = source.close();
  await clock.pass(thresholdMs);
  await closed;
});
