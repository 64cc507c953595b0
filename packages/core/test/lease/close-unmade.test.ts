// A member leaves although its store makes no change, and goes on to show its rows.
import { describe, expect, it } from 'vitest';
import type { LeadershipSource } from '../../src/contract/source.ts';
import { RowStore } from '../../src/rows/row-store.ts';
import type { RowChange } from '../../src/rows/rows.ts';
import { listedRows } from '../support/listed-rows.ts';
import { manualClock } from '../support/manual-clock.ts';
import { type RowsMember, rowsMember, thresholdMs } from '../support/rows-member.ts';

const drainTimeoutMs = 20_000;

/** Makes the changes of an exchange, or not. Resolves with whether each was made. */
type Replace = (changes: readonly RowChange[], store: RowStore) => Promise<readonly boolean[]>;

const made: Replace = async (changes, store) => changes.map((change) => store.change(change));

const removesNone: Replace = async (changes, store) =>
  changes.map((change) => change.text !== null && store.change(change));

/** A leader and a candidate that is known by its note; `replace`: how the store makes changes. */
async function pair() {
  const clock = manualClock();
  const store = new RowStore();
  const changing = { replace: made };
  const members: RowsMember[] = [];
  const join = (name: string): LeadershipSource => {
    const rows = listedRows(store, { replace: (changes) => changing.replace(changes, store) });
    const member = rowsMember(rows, { member: name, drainTimeoutMs }, undefined, clock);
    members.push(member);
    return member.source;
  };
  const leader = join('a');
  await clock.pass(2 * thresholdMs);
  const candidate = join('b');
  await clock.pass(2 * thresholdMs);
  expect([leader, candidate].map((source) => source.held().size)).toEqual([1, 0]);
  const exchanges = (): number => members.reduce((count, { sent }) => count + sent.length, 0);
  return { clock, changing, exchanges, leader, candidate };
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
  const { clock, changing, exchanges, leader, candidate } = await pair();
  changing.replace = removesNone;
  await leader.close();
  await clock.pass(2 * thresholdMs);
  expect(candidate.held().size).toBe(1);
  const before = exchanges();
  await clock.pass(10 * thresholdMs);
  expect(exchanges() - before).toBeLessThanOrEqual(45);
});

it('repeats a refused renewal, and a refused opening, less and less often', async () => {
  const { clock, changing, exchanges, leader, candidate } = await pair();
  changing.replace = async (changes) => changes.map(() => false);
  const before = exchanges();
  await clock.pass(10 * thresholdMs);
  expect([leader, candidate].map((source) => source.held().size)).toEqual([0, 0]);
  expect((exchanges() - before) / 20).toBeLessThanOrEqual(8);
});

it('a leader that closes does not hurry to remove its note while its work ends', async () => {
  const { clock, changing, exchanges, leader, candidate } = await pair();
  changing.replace = removesNone;
  await leader.close();
  await clock.pass(2 * thresholdMs);
  void candidate.leadEach(() => new Promise(() => undefined));
  await clock.pass(thresholdMs);
  void candidate.close();
  const before = exchanges();
  await clock.pass(10 * thresholdMs);
  expect(exchanges() - before).toBeLessThanOrEqual(45);
});
