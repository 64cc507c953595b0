import { describe, expect, it } from 'vitest';
import { exchangedAsListed, type ListedRow } from '../../src/rows/exchanged-as-listed.ts';
import type { RowChange } from '../../src/rows/rows.ts';
import type { ServerExchange } from '../../src/rows/server-rows.ts';

interface Listing {
  readonly rows: ReadonlyMap<string, ListedRow>;
  readonly life: string;
}

const listed = (rows: Readonly<Record<string, string | null>>, life = 'one'): Listing => ({
  rows: new Map(Object.entries(rows).map(([name, text]) => [name, { text }])),
  life,
});

const sinceOf = (listing: Listing, changed: readonly string[] = []): object => ({
  listing,
  changed,
});

/** Answers an exchange. Every change is made whose row is as it was listed. */
async function exchange(
  listing: Listing,
  request: Partial<ServerExchange> = {},
  made: RowChange[] = [],
  listAgain: () => Promise<Listing> = () => Promise.reject(new Error('not asked for')),
) {
  return exchangedAsListed<ListedRow, Listing>(
    { changes: [], since: undefined, notification: undefined, ...request },
    listing,
    {
      incarnation: 'm',
      isOther: (before, now) => before.life !== now.life,
      make: async (change) => {
        made.push(change);
        return true;
      },
      listAgain,
    },
  );
}

describe('an exchange that lists first', () => {
  it('shows all rows at first and when all are wanted, without those that were removed', async () => {
    const listing = listed({ a: '1', b: null });
    const all = { rows: [['a', '1']], isWhole: true, position: { listing, changed: [] } };
    expect(await exchange(listing)).toMatchObject(all);
    expect(await exchange(listing, { since: sinceOf(listing), isWhole: true })).toMatchObject(all);
  });

  it('shows what differs from the last answer, also what was removed, with a mark and without', async () => {
    const before = listed({ a: '1', b: '1', c: '1', d: '1' });
    const now = listed({ a: '1', b: '2', c: null, e: '1' });
    const { rows, isWhole } = await exchange(now, { since: sinceOf(before) });
    expect(isWhole).toBe(false);
    expect(new Map(rows)).toEqual(new Map(Object.entries({ b: '2', c: null, d: null, e: '1' })));
  });

  it('shows what became of the rows that the reader has changed after the last listing', async () => {
    const { position } = await exchange(listed({}), {
      changes: [{ name: 'a', expected: null, text: '1' }],
    });
    // A person has removed the row again.
    expect(await exchange(listed({}), { since: position })).toMatchObject({ rows: [['a', null]] });
  });

  it('makes only changes of rows with the expected text', async () => {
    const made: RowChange[] = [];
    const changes = [
      { name: 'a', expected: '1', text: '2' },
      { name: 'b', expected: '1', text: '2' },
      { name: 'c', expected: null, text: '1' },
    ];
    const { outcomes } = await exchange(listed({ a: '1', b: '3', c: null }), { changes }, made);
    expect(outcomes).toEqual([true, false, true]);
    expect(made.map(({ name }) => name)).toEqual(['a', 'c']);
  });

  it('changes nothing in another history than the one that was read (M7)', async () => {
    const made: RowChange[] = [];
    const changes = [{ name: 'a', expected: '1', text: '2' }];
    const request = { changes, since: sinceOf(listed({ a: '1' })) };
    const answer = await exchange(listed({ a: '1' }, 'two'), request, made);
    expect(answer).toMatchObject({ outcomes: [false], isWhole: true, isRestarted: true });
    expect(made).toEqual([]);
  });

  describe('after a claim', () => {
    const before = listed({ 'partition#0': '1', 'partition#1': '1' });
    const changes = [
      { name: 'session#m/1', expected: null, text: 'open' },
      { name: 'partition#0', expected: '1', text: '2', isAnnounced: true },
    ];
    const made = { 'session#m/1': 'open', 'partition#0': '2', 'partition#1': '2' };

    it('shows the rows of a second listing that has the claim, so that its term begins (M3)', async () => {
      const again = listed(made);
      const request = { changes, since: sinceOf(before) };
      const answer = await exchange(before, request, [], async () => again);
      expect(answer).toMatchObject({ outcomes: [true, true], isWhole: false });
      expect(Object.fromEntries(answer.rows)).toEqual(made);
      expect(answer.position).toMatchObject({ listing: again });
    });

    it.each([
      ['is of another history (M7)', async () => listed(made, 'two')],
      ['does not show it (M3)', async () => listed({ ...made, 'partition#0': '1' })],
      ['does not show the renewal (M1)', async () => listed({ ...made, 'session#m/1': null })],
      ['fails', () => Promise.reject(new Error('no answer'))],
    ])('shows the rows from before if the second listing %s', async (_why, listAgain) => {
      const request = { changes, since: sinceOf(before) };
      const answer = await exchange(before, request, [], listAgain);
      expect(answer.outcomes).toEqual([true, true]);
      expect(answer.isRestarted).toBeUndefined();
      expect(Object.fromEntries(answer.rows)).toEqual({});
      expect(answer.position).toMatchObject({ listing: before });
    });

    it('lists once where only the renewal and the note were made', async () => {
      const [renewal] = changes;
      const note = { name: 'member#m', expected: null, text: 'there' };
      const request = { changes: renewal ? [renewal, note] : [], since: sinceOf(before) };
      expect((await exchange(before, request)).outcomes).toEqual([true, true]);
    });
  });
});
