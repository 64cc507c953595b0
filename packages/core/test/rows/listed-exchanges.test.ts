import { describe, expect, it } from 'vitest';
import { ListedExchanges, type ListedRow } from '../../src/rows/listed-exchanges.ts';
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

const newExchanges = (): ListedExchanges<ListedRow, Listing> =>
  new ListedExchanges({
    incarnation: 'm',
    isOther: (before, now) => before.life !== now.life,
  });

/** Answers an exchange by listings, one after the other. Every change is made whose row is as it was listed, if its condition holds. */
async function exchange(
  listings: readonly (Listing | undefined)[],
  request: Partial<ServerExchange> = {},
  made: RowChange[] = [],
  received: readonly (Listing | undefined)[] = [],
  holds = true,
) {
  const [left, shown] = [[...listings], [...received]];
  const exchanges = newExchanges();
  const answer = await exchanges.exchanged(
    { changes: [], since: undefined, notification: undefined, ...request },
    {
      make: async (change) => {
        made.push(change);
        return holds;
      },
      list: async () => left.shift() ?? Promise.reject(new Error('no answer')),
      received: async () => shown.shift(),
    },
  );
  expect(left).toEqual([]);
  return answer;
}

describe('an exchange that lists first', () => {
  it('shows all rows at first and when all are wanted, without those that were removed', async () => {
    const listing = listed({ a: '1', b: null });
    const all = { rows: [['a', '1']], isWhole: true, position: { listing, changed: [] } };
    expect(await exchange([listing])).toMatchObject(all);
    expect(await exchange([listing], { since: sinceOf(listing), isWhole: true })).toMatchObject(
      all,
    );
  });

  it('shows what differs from the last answer, also what was removed, with a mark and without', async () => {
    const before = listed({ a: '1', b: '1', c: '1', d: '1' });
    const now = listed({ a: '1', b: '2', c: null, e: '1' });
    const { rows, isWhole } = await exchange([now], { since: sinceOf(before) });
    expect(isWhole).toBe(false);
    expect(new Map(rows)).toEqual(new Map(Object.entries({ b: '2', c: null, d: null, e: '1' })));
  });

  it('shows what became of the rows that the reader has changed after the last listing', async () => {
    const { position } = await exchange([listed({}), listed({})], {
      changes: [{ name: 'a', expected: null, text: '1' }],
    });
    // A person has removed the row again.
    expect(await exchange([listed({})], { since: position })).toMatchObject({
      rows: [['a', null]],
    });
  });

  it('makes only changes of rows with the expected text', async () => {
    const made: RowChange[] = [];
    const changes = [
      { name: 'a', expected: '1', text: '2' },
      { name: 'b', expected: '1', text: '2' },
      { name: 'c', expected: null, text: '1' },
    ];
    const now = listed({ a: '1', b: '3', c: null });
    const { outcomes } = await exchange([now], { changes }, made);
    expect(outcomes).toEqual([true, false, true]);
    expect(made.map(({ name }) => name)).toEqual(['a', 'c']);
  });

  it('changes nothing in another history than the one that was read (M7)', async () => {
    const made: RowChange[] = [];
    const changes = [{ name: 'a', expected: '1', text: '2' }];
    const request = { changes, since: sinceOf(listed({ a: '1' })) };
    const answer = await exchange([listed({ a: '1' }, 'two')], request, made);
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
      const answer = await exchange([before, again], request);
      expect(answer).toMatchObject({ outcomes: [true, true], isWhole: false });
      expect(Object.fromEntries(answer.rows)).toEqual(made);
      expect(answer.position).toMatchObject({ listing: again });
    });

    it.each([
      ['is of another history (M7)', listed(made, 'two')],
      ['does not show it (M3)', listed({ ...made, 'partition#0': '1' })],
      ['does not show the renewal (M1)', listed({ ...made, 'session#m/1': null })],
      ['fails', undefined],
    ])('shows the rows from before if the second listing %s', async (_why, again) => {
      const request = { changes, since: sinceOf(before) };
      const answer = await exchange([before, again], request);
      expect(answer.outcomes).toEqual([true, true]);
      expect(answer.isRestarted).toBeUndefined();
      expect(Object.fromEntries(answer.rows)).toEqual({});
      expect(answer.position).toMatchObject({ listing: before });
    });

    it('lists once where only the renewal and the note were made', async () => {
      const [renewal] = changes;
      const note = { name: 'member#m', expected: null, text: 'there' };
      const request = { changes: renewal ? [renewal, note] : [], since: sinceOf(before) };
      expect((await exchange([before], request)).outcomes).toEqual([true, true]);
    });
  });
});

describe('an exchange whose reader follows the store', () => {
  const before = listed({ 'session#m/1': '1', a: '1' });
  const now = listed({ 'session#m/1': '2', a: '3' });
  const renewal = { name: 'session#m/1', expected: '1', text: '2' };
  const request = { changes: [renewal], since: sinceOf(before) };

  it('is what it receives until its own changes, without a listing (M1)', async () => {
    const answer = await exchange([], request, [], [before, now]);
    expect(answer).toMatchObject({ outcomes: [true], isWhole: false, position: { listing: now } });
    expect(Object.fromEntries(answer.rows)).toEqual({ 'session#m/1': '2', a: '3' });
  });

  it.each([
    ['does not follow any more', undefined],
    ['has not received its changes', before],
  ])('lists after its changes if it %s', async (_why, received) => {
    expect(await exchange([now], request, [], [before, received])).toMatchObject({
      outcomes: [true],
      position: { listing: now },
    });
  });

  it('has no answer if what it received then is of another history (M7)', async () => {
    const other = listed({ 'session#m/1': '2' }, 'two');
    await expect(exchange([], request, [], [before, other])).rejects.toThrow('lost changes');
    await expect(exchange([undefined], request, [], [before])).rejects.toThrow('no answer');
  });

  it('has no answer if a listing afterwards lacks a change: it is of an older copy (M3)', async () => {
    await expect(exchange([before], request, [], [before])).rejects.toThrow('lost changes');
  });

  it('shows another history that it finds when it has changed nothing (M7)', async () => {
    const other = listed({ a: '1' }, 'two');
    const answer = await exchange([other], request, [], [before], false);
    expect(answer).toMatchObject({ outcomes: [false], isWhole: true, isRestarted: true });
  });

  it.each([
    ['has changed a row that is to be changed', listed({ a: '1' })],
    ['is of another history (M7)', listed({ 'session#m/1': '1' }, 'two')],
  ])('lists first if what it has received %s', async (_why, received) => {
    const made: RowChange[] = [];
    const answer = await exchange([before], request, made, [received]);
    expect(answer).toMatchObject({ outcomes: [true], position: { listing: before } });
    expect(made).toEqual([renewal]);
  });

  it('lists without changes', async () => {
    expect((await exchange([before], { since: sinceOf(before) }, [], [now])).rows).toEqual([]);
  });
});

describe('a claim beside the opening of a session', () => {
  const changes = [
    { name: 'session#m/1', expected: null, text: 'open' },
    { name: 'partition#0', expected: '1', text: '2', isAnnounced: true },
  ];
  const request: ServerExchange = { changes, since: undefined, notification: undefined };
  const list = async (): Promise<Listing> => listed({ 'partition#0': '1' });

  it('waits for it until an exchange with changes had an answer, and again after one that had none', async () => {
    const exchanges = newExchanges();
    const made: string[] = [];
    let fails = false;
    const namesOf = async (): Promise<readonly string[]> => {
      made.length = 0;
      const make = async ({ name }: RowChange): Promise<boolean> => {
        made.push(name);
        if (fails) throw new Error('no answer');
        // The opening is refused.
        return name !== 'session#m/1';
      };
      await exchanges.exchanged(request, { make, list }).catch(() => undefined);
      return [...made];
    };
    const [opening, claim] = changes.map(({ name }) => name);
    expect(await namesOf()).toEqual([opening]);
    expect(await namesOf()).toEqual([opening, claim]);
    fails = true;
    expect(await namesOf()).toEqual([opening, claim]);
    expect(await namesOf()).toEqual([opening]);
  });
});

describe('a listing after the store has refused to replace a row', () => {
  const before = listed({ a: '1', b: '1' });
  const replaced: Partial<ServerExchange> = {
    changes: [{ name: 'a', expected: '1', text: '2' }],
    since: sinceOf(before),
  };
  const removed = { ...replaced, changes: [{ name: 'a', expected: '1', text: null }] };

  /** Sends the requests one after the other. The store refuses each change, and shows these listings. */
  async function refused(
    requests: readonly Partial<ServerExchange>[],
    listings: readonly Listing[],
  ): Promise<readonly unknown[]> {
    const left = [...listings];
    const exchanges = new ListedExchanges<ListedRow, Listing>({
      incarnation: 'm',
      isOther: () => false,
      isSame: (row, { rows }) => [...rows.values()].includes(row),
    });
    const store = {
      make: async () => false,
      list: async () => left.shift() ?? Promise.reject(new Error('no answer')),
      received: async () => before,
    };
    const answers: unknown[] = [];
    for (const request of requests) {
      const whole = { changes: [], since: undefined, notification: undefined, ...request };
      answers.push(await exchanges.exchanged(whole, store).catch((error: unknown) => error));
    }
    return answers;
  }

  it('is of a server that went on while its data was restored if it shows the same version; the next answer is doubted (M6)', async () => {
    const reading = { since: sinceOf(before) };
    const answers = await refused([replaced, reading, reading], [before, before, before]);
    expect(answers).toEqual([
      expect.objectContaining({ code: 'assumption-broken' }),
      expect.objectContaining({ isRestarted: true, isWhole: true }),
      expect.not.objectContaining({ isRestarted: true }),
    ]);
  });

  it('shows why: another version, or that the row is gone', async () => {
    for (const now of [listed({ a: '3', b: '1' }), listed({ b: '1' })])
      expect(await refused([replaced], [now])).toEqual([
        expect.objectContaining({ outcomes: [false] }),
      ]);
  });

  it('may show a row whose removal has begun', async () => {
    expect(await refused([removed], [before])).toEqual([
      expect.objectContaining({ outcomes: [false] }),
    ]);
  });
});
