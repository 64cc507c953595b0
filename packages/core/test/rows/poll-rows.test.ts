// The second listing of an exchange, over a store in memory that can only list and compare.
import { describe, expect, it } from 'vitest';
import { type Listing, type ListingStore, pollRows } from '../../src/rows/poll-rows.ts';
import { RowStore } from '../../src/rows/row-store.ts';
import type { Exchanged, RowChange } from '../../src/rows/rows.ts';

const { signal } = new AbortController();

const claim: RowChange = { name: 'partition#0', expected: null, text: 'claim', isAnnounced: true };
const renewal: RowChange = { name: 'session#a/1', expected: null, text: 'renewal' };

/** Makes the changes in one exchange. `listAgain` sees the rows after them. */
async function exchanged(
  changes: readonly RowChange[],
  listAgain?: (rows: ReadonlyMap<string, string>) => Promise<Listing | undefined>,
): Promise<{ readonly answer: Exchanged; readonly next: Exchanged; readonly lists: number }> {
  const store = new RowStore();
  let lists = 0;
  const listing: ListingStore = {
    name: 'a list',
    changesMax: 8,
    list: async () => ({ rows: new Map(store.rows), history: 'first' }),
    replace: async (all) => all.map((change) => store.change(change)),
    ...(listAgain && {
      listAgain: () => {
        lists += 1;
        return listAgain(new Map(store.rows));
      },
    }),
    close: () => undefined,
  };
  const rows = pollRows(listing);
  const { position } = await rows.exchange({ changes: [], since: undefined }, signal);
  const answer = await rows.exchange({ changes, since: position }, signal);
  const next = await rows.exchange({ changes: [], since: answer.position }, signal);
  return { answer, next, lists };
}

const first = async (rows: ReadonlyMap<string, string>): Promise<Listing> => ({
  rows,
  history: 'first',
});

describe('an exchange with a store that lists again', () => {
  it('shows the changes that others wait for, in its own answer', async () => {
    const { answer, next, lists } = await exchanged([renewal, claim], first);
    expect(answer.outcomes).toEqual([true, true]);
    expect(new Map(answer.rows)).toEqual(
      new Map([
        ['session#a/1', 'renewal'],
        ['partition#0', 'claim'],
      ]),
    );
    expect(lists).toBe(1);
    // Shown again, as after every change of the reader.
    expect(next.isRestarted).toBeUndefined();
  });

  it('does not list again for a renewal, nor after a claim that was refused', async () => {
    expect((await exchanged([renewal], first)).lists).toBe(0);
    expect((await exchanged([{ ...claim, expected: 'other' }], first)).lists).toBe(0);
  });

  it.each<[string, Parameters<typeof exchanged>[1]]>([
    ['there is no second listing', undefined],
    ['there is no time for it', async () => undefined],
    ['it fails', () => Promise.reject(new Error('away'))],
    ['it is of another history', async (rows) => ({ rows, history: 'second' })],
    [
      'it lacks the claim',
      async () => ({ rows: new Map([['partition#0', 'x']]), history: 'first' }),
    ],
  ])('shows the claim in the next answer if %s', async (_, listAgain) => {
    const { answer, next } = await exchanged([claim], listAgain);
    expect(answer.outcomes).toEqual([true]);
    expect(answer.rows).toEqual([]);
    expect(next.rows).toEqual([['partition#0', 'claim']]);
  });
});
