// An answer shows all that has changed since the position of this reader.
import { deepStrictEqual, ok } from 'node:assert/strict';
import { changesOf, Reader } from '../reader.ts';
import { offered, type RowsCheck, rowsCheck } from '../rows-check.ts';

/** The changes of the answer's own request, made and refused. */
export const showsItsChanges: RowsCheck = rowsCheck({
  id: 'shows-its-changes',
  title:
    'An answer shows the rows that its request has changed, and those that others had changed before.',
  async run({ pair }) {
    const [writer, other] = await pair();
    await writer.change(['a', null, '1'], ['b', null, '2'], ['c', null, '3']);
    await other.read();
    await other.change(['b', '2', '4']);
    const answer = await writer.exchange({
      changes: changesOf(['a', '1', '5'], ['b', '2', '6'], ['c', '3', null]),
    });
    deepStrictEqual(answer.outcomes, [true, false, true]);
    const shown = new Map(answer.rows);
    deepStrictEqual(shown.get('b'), '4', 'the row whose change was refused');
    if (writer.rows.traits.readsFirst) return;
    deepStrictEqual(shown.get('a'), '5', 'the row that was changed');
    deepStrictEqual(shown.get('c') ?? null, null, 'the row that was removed');
  },
});

/** Rows that others create, change, remove and create again between two readings. */
export const sincePosition: RowsCheck = rowsCheck({
  id: 'since-position',
  title:
    'A reading shows every row that was created, changed, removed or created again since the position.',
  async run({ pair }) {
    const [writer, reader] = await pair();
    await writer.change(['a', null, '1'], ['b', null, '2'], ['c', null, '3'], ['d', null, '4']);
    await reader.read();
    await writer.change(['a', '1', '5'], ['b', '2', null], ['c', '3', null], ['e', null, '6']);
    await writer.change(['c', null, '7']);
    deepStrictEqual(await reader.read(), { a: '5', c: '7', d: '4', e: '6' }, 'what has changed');
    await writer.change(['a', '5', null], ['c', '7', null], ['d', '4', null], ['e', '6', null]);
    deepStrictEqual(await reader.read(), {}, 'when all were removed');
    await writer.change(['d', null, '8']);
    deepStrictEqual(await reader.read(), { d: '8' });
  },
});

/** The other member learns of a removal and a creation whose number is that of before. */
export const removedAndCreated: RowsCheck = rowsCheck({
  id: 'removed-and-created',
  title: 'A reading shows that a row was removed, although as many others are new.',
  async run({ pair }) {
    const [writer, reader] = await pair();
    await writer.change(['a', null, '1'], ['b', null, '2']);
    await reader.read();
    await writer.change(['a', '1', null], ['c', null, '3']);
    deepStrictEqual(await reader.read(), { b: '2', c: '3' }, 'a row was removed');
  },
});

/** An answer that did not arrive: the reader asks again from where it was. */
export const oldPosition: RowsCheck = rowsCheck({
  id: 'old-position',
  title:
    'A reader that did not receive an answer receives everything since the last one that it received.',
  async run({ pair }) {
    const [writer, reader] = await pair();
    await writer.change(['a', null, '1'], ['b', null, '2'], ['c', null, '3']);
    await reader.read();
    await writer.change(['a', '1', '4']);
    await reader.send();
    await writer.change(['b', '2', null]);
    await reader.send();
    await writer.change(['d', null, '5']);
    // Its own change, whose answer did not arrive either.
    await reader.send({ changes: changesOf(['c', '3', null]) });
    await reader.send({ changes: changesOf(['e', null, '6']) });
    deepStrictEqual(await reader.read(), { a: '4', d: '5', e: '6' }, 'all since the position');
    deepStrictEqual(await writer.read(), { a: '4', d: '5', e: '6' });
  },
});

/** All rows, although the position is known. */
export const wholeOnRequest: RowsCheck = rowsCheck({
  id: 'whole-on-request',
  title:
    'A reader that asks for all rows receives them, and its request is still compared with its position.',
  async run({ open }) {
    const reader = await open();
    await reader.read();
    await reader.change(['a', null, '1'], ['b', null, '2']);
    const answer = await reader.exchange({
      changes: changesOf(['b', '2', '3']),
      isWhole: true,
    });
    ok(answer.isWhole, 'the answer is whole');
    ok(answer.isRestarted !== true, 'the answer is of the same history');
    deepStrictEqual(answer.outcomes, [true]);
    deepStrictEqual(reader.known, { a: '1', b: '3' });
  },
});

const alternations = 50;

/** Two members in turn. */
export const acknowledgedIsRead: RowsCheck = rowsCheck({
  id: 'acknowledged-is-read',
  title: 'A reading shows every change that was acknowledged before it was sent.',
  async run({ pair }) {
    const [writer, reader] = await pair();
    await reader.read();
    await writer.change(['a', null, '0']);
    for (let index = 1; index < alternations; index += 1) {
      deepStrictEqual(await writer.change(['a', String(index - 1), String(index)]), [true]);
      deepStrictEqual(await reader.read(), { a: String(index) }, 'the acknowledged text');
    }
  },
});

/** Older states, which only observers allow. */
export const laggingReads: RowsCheck = rowsCheck({
  id: 'lagging-reads',
  title: 'A reading that may lag is never older than the last one of the same reader.',
  needs: ['lagging-reads'],
  async run({ pair }) {
    const [writer, reader] = await pair();
    await reader.read();
    let read = -1;
    await writer.change(['a', null, '0']);
    for (let index = 1; index < alternations; index += 1) {
      await writer.change(['a', String(index - 1), String(index)]);
      // Every third reading is fresh, so the next one may not be older.
      await reader.exchange({ mayLag: index % 3 > 0 });
      const now = Number(reader.known['a'] ?? -1);
      ok(now >= read, `a reading shows version ${now} after version ${read}`);
      read = now;
    }
  },
});

/** A person edits, removes and creates rows. */
export const handEdits: RowsCheck = rowsCheck({
  id: 'hand-edits',
  title: 'A reading shows what a person has changed, removed and created since the position.',
  needs: ['hand-edits'],
  async run({ pair, store, group }) {
    const put = offered(store.put?.bind(store));
    const [writer, reader] = await pair();
    await writer.change(['a', null, '1'], ['b', null, '2'], ['c', null, '3']);
    await reader.read();
    await put(group, 'a', '4');
    await put(group, 'b', null);
    await put(group, 'd', '5');
    deepStrictEqual(await reader.read(), { a: '4', c: '3', d: '5' }, 'what a person has done');
    deepStrictEqual(await reader.change(['a', '1', '6'], ['d', '5', '7']), [false, true]);
    deepStrictEqual(await writer.read(), { a: '4', c: '3', d: '7' });
  },
});

/** Transactions that commit in another order than they began. */
export const lateCommits: RowsCheck = rowsCheck({
  id: 'late-commits',
  title: 'A reading shows a change that was begun before the position and committed after it.',
  needs: ['open-transactions'],
  async run({ pair, store, group }) {
    const begin = offered(store.begin?.bind(store));
    const [writer, reader] = await pair();
    await writer.change(['a', null, '1'], ['b', null, '2'], ['c', null, '3'], ['d', null, '4']);
    await reader.read();
    const [first, second] = [await begin(group, 'a', '5'), await begin(group, 'b', '6')];
    await writer.change(['c', '3', '7']);
    deepStrictEqual(await reader.read(), { a: '1', b: '2', c: '7', d: '4' });
    await second();
    await writer.change(['d', '4', '8']);
    deepStrictEqual(await reader.read(), { a: '1', b: '6', c: '7', d: '8' }, 'the late commit');
    await first();
    deepStrictEqual(await reader.read(), { a: '5', b: '6', c: '7', d: '8' }, 'the late commit');
    deepStrictEqual(await writer.read(), { a: '5', b: '6', c: '7', d: '8' });
  },
});

/** A change of a row that a transaction holds. */
export const lockedRows: RowsCheck = rowsCheck({
  id: 'locked-rows',
  title:
    'A change of a row that a transaction holds is refused, and the other changes of its batch are made.',
  needs: ['locked-rows'],
  async run({ open, store, group }) {
    const begin = offered(store.begin?.bind(store));
    const writer = await open();
    await writer.read();
    await writer.change(['a', null, '1'], ['b', null, '2']);
    const commit = await begin(group, 'a', '3');
    deepStrictEqual(
      await writer.change(['a', '1', '4'], ['b', '2', '5']),
      [false, true],
      'one is locked',
    );
    deepStrictEqual(writer.known, { a: '1', b: '5' });
    await commit();
    deepStrictEqual(await writer.change(['a', '3', '6']), [true]);
    deepStrictEqual(writer.known, { a: '6', b: '5' });
  },
});

/** An observer that comes before the first member. */
export const missingStore: RowsCheck = rowsCheck({
  id: 'missing-store',
  title:
    'An observer reads no rows before a member has created the store, and then those of the member.',
  needs: ['missing-store'],
  async run({ store, group, opened }) {
    const openRows = offered(store.elsewhere?.bind(store))();
    const observer = await opened(new Reader(await openRows(group)), false);
    deepStrictEqual(await observer.read(), {});
    deepStrictEqual(await observer.read(), {});
    const member = await opened(new Reader(await openRows(group)));
    deepStrictEqual(await member.read(), {});
    deepStrictEqual(await member.change(['a', null, '1']), [true]);
    deepStrictEqual(await observer.read(), { a: '1' });
  },
});
