// A member leaves although its store makes no change, and goes on to show its rows.
import { describe, expect, it } from 'vitest';
import { resolveOptions } from '../../src/adapter/resolve-options.ts';
import type { LeadershipSource } from '../../src/contract/source.ts';
import { leaseBackendUnder } from '../../src/lease/backend.ts';
import { leaseRules } from '../../src/lease/rules.ts';
import { pollRows } from '../../src/rows/poll-rows.ts';
import { RowStore } from '../../src/rows/row-store.ts';
import type { RowChange } from '../../src/rows/rows.ts';
import { openSource } from '../../src/source/open-source.ts';
import { manualClock } from '../support/manual-clock.ts';

const thresholdMs = 1000;
const drainTimeoutMs = 20_000;

/** What becomes of the changes of an exchange. */
type Replace = (changes: readonly RowChange[], store: RowStore) => Promise<readonly boolean[]>;

const made: Replace = async (changes, store) => changes.map((change) => store.change(change));

const removesNone: Replace = async (changes, store) =>
  changes.map((change) => change.text !== null && store.change(change));

/** A leader and a candidate that is known by its note; `replace`: how the store makes changes. */
async function pair() {
  const clock = manualClock();
  const store = new RowStore();
  const changing = { replace: made, exchanges: 0 };
  const join = (name: string): LeadershipSource => {
    const values = {
      group: 'g',
      member: name,
      partitions: 1,
      thresholdMs,
      driftRate: 0,
      drainTimeoutMs,
    };
    const options = resolveOptions(values);
    const rows = pollRows({
      name: 'rows',
      changesMax: 8,
      async list() {
        changing.exchanges += 1;
        return { rows: new Map(store.rows) };
      },
      replace: (changes) => changing.replace(changes, store),
      close: () => undefined,
    });
    const rules = { ...leaseRules, emptyMs: () => 0 };
    const backend = leaseBackendUnder(rules, options, () => rows, {});
    return openSource(backend, options, { clock, random: () => 0.5 });
  };
  const leader = join('a');
  await clock.pass(2 * thresholdMs);
  const candidate = join('b');
  await clock.pass(2 * thresholdMs);
  expect([leader, candidate].map((source) => source.held().size)).toEqual([1, 0]);
  return { clock, changing, leader, candidate };
}

/** Closes a member of a pair whose store begins to make changes in another way. */
async function closing(replace: Replace, member: 'leader' | 'candidate'): Promise<boolean> {
  const { clock, changing, ...members } = await pair();
  changing.replace = replace;
  let isClosed = false;
  void members[member].close().then(() => {
    isClosed = true;
  });
  await clock.pass(2 * thresholdMs);
  return isClosed;
}

describe('a member that closes while its store only shows rows leaves after a few attempts', () => {
  const stores: readonly (readonly [string, Replace])[] = [
    ['rejects each change', () => Promise.reject(new Error('no right to write'))],
    ['refuses each change', async (changes) => changes.map(() => false)],
    ['removes no row, as Kubernetes for an object with a finalizer', removesNone],
  ];
  for (const [what, replace] of stores)
    it.each(['leader', 'candidate'] as const)(`${what}: the %s`, async (member) => {
      expect(await closing(replace, member)).toBe(true);
    });
});

it('a leader whose note cannot be removed tries it again once a T', async () => {
  const { clock, changing, leader, candidate } = await pair();
  changing.replace = removesNone;
  await leader.close();
  await clock.pass(2 * thresholdMs);
  expect(candidate.held().size).toBe(1);
  const before = changing.exchanges;
  await clock.pass(10 * thresholdMs);
  expect(changing.exchanges - before).toBeLessThanOrEqual(45);
});

it('repeats a refused renewal, and a refused opening, less and less often', async () => {
  const { clock, changing, leader, candidate } = await pair();
  changing.replace = async (changes) => changes.map(() => false);
  const before = changing.exchanges;
  await clock.pass(10 * thresholdMs);
  expect([leader, candidate].map((source) => source.held().size)).toEqual([0, 0]);
  expect((changing.exchanges - before) / 20).toBeLessThanOrEqual(8);
});

it('a leader that closes does not hurry to remove its note while its work ends', async () => {
  const { clock, changing, leader, candidate } = await pair();
  changing.replace = removesNone;
  await leader.close();
  await clock.pass(2 * thresholdMs);
  void candidate.leadEach(() => new Promise(() => undefined));
  await clock.pass(thresholdMs);
  void candidate.close();
  const before = changing.exchanges;
  await clock.pass(10 * thresholdMs);
  expect(changing.exchanges - before).toBeLessThanOrEqual(45);
});
