// Rows are names and texts; a change is made if its row holds the expected text.
import { deepStrictEqual } from 'node:assert/strict';
import { seededRandom } from '../../adapter/seeded-random.ts';
import { changesOf, type Reader, type Triple } from '../reader.ts';
import { type RowsCheck, rowsCheck } from '../rows-check.ts';

/** Creation, replacement and removal, and each refusal of them. */
export const changedOnCondition: RowsCheck = rowsCheck({
  id: 'changed-on-condition',
  title: 'A change is made if its row holds the expected text, and only then.',
  async run({ pair }) {
    const [writer, reader] = await pair();
    const steps: readonly (readonly [Triple, boolean, Readonly<Record<string, string>>])[] = [
      [['a', 'x', '1'], false, {}],
      [['a', 'x', null], false, {}],
      [['a', null, '1'], true, { a: '1' }],
      [['a', null, '2'], false, { a: '1' }],
      [['a', 'x', '3'], false, { a: '1' }],
      [['a', 'x', null], false, { a: '1' }],
      [['b', null, '4'], true, { a: '1', b: '4' }],
      [['a', '1', '5'], true, { a: '5', b: '4' }],
      [['a', '1', '6'], false, { a: '5', b: '4' }],
      [['a', '1', null], false, { a: '5', b: '4' }],
      [['a', '5', null], true, { b: '4' }],
      [['a', '5', '7'], false, { b: '4' }],
      [['a', null, '8'], true, { a: '8', b: '4' }],
    ];
    for (const [change, isMade, after] of steps) {
      const which = `the change ${JSON.stringify(change)}`;
      deepStrictEqual(await writer.change(change), [isMade], `the outcome of ${which}`);
      deepStrictEqual(writer.known, after, `what its member knows after ${which}`);
      deepStrictEqual(await reader.read(), after, `what another member reads after ${which}`);
    }
  },
});

/** One batch with changes that are made and others that are refused. */
export const eachOnItsOwn: RowsCheck = rowsCheck({
  id: 'each-on-its-own',
  title: 'Each change of a batch is made on its own condition, whatever becomes of the others.',
  async run({ pair }) {
    const [writer, reader] = await pair();
    await writer.change(['a', null, '1'], ['b', null, '2'], ['c', null, '3'], ['d', null, '4']);
    // Beside the first member of the batch, which is the renewal of a session, all may be refused.
    const outcomes = await writer.change(
      ['a', 'x', '5'],
      ['b', '2', '6'],
      ['c', '3', null],
      ['d', null, '7'],
      ['e', null, '8'],
      ['f', '9', '10'],
    );
    deepStrictEqual(outcomes, [false, true, true, false, true, false], 'the outcomes of the batch');
    const after = { a: '1', b: '6', d: '4', e: '8' };
    deepStrictEqual(writer.known, after, 'what the member knows that made the changes');
    deepStrictEqual(await reader.read(), after, 'what another member reads');
  },
});

/** An empty text is a text. */
export const emptyText: RowsCheck = rowsCheck({
  id: 'empty-text',
  title: 'A row with an empty text exists.',
  async run({ pair }) {
    const [writer, reader] = await pair();
    deepStrictEqual(await writer.change(['a', '', '1']), [false], 'the row does not exist');
    deepStrictEqual(await writer.change(['a', null, '']), [true]);
    deepStrictEqual(await reader.read(), { a: '' });
    deepStrictEqual(await writer.change(['a', null, '2']), [false], 'the row exists');
    deepStrictEqual(await writer.change(['a', '', '3']), [true]);
    deepStrictEqual(await reader.read(), { a: '3' });
  },
});

/** The same batch twice, as where a request was repeated under way. */
export const repeatedBatch: RowsCheck = rowsCheck({
  id: 'repeated-batch',
  title: 'A batch that is repeated changes nothing.',
  async run({ pair }) {
    const [writer, other] = await pair();
    await writer.change(['b', null, '1'], ['c', null, '2']);
    const changes = changesOf(['a', null, '3'], ['b', '1', '4'], ['c', '2', null]);
    const { position } = writer;
    deepStrictEqual((await writer.exchange({ changes })).outcomes, [true, true, true]);
    await other.read();
    deepStrictEqual(await other.change(['b', '4', '5']), [true]);
    const { outcomes } = await writer.exchange({ changes, since: position });
    deepStrictEqual(outcomes, [false, false, false], 'the outcomes of the repetition');
    deepStrictEqual(writer.known, { a: '3', b: '5' });
    deepStrictEqual(await other.read(), { a: '3', b: '5' });
  },
});

/** As many changes as the store takes. */
export const fullBatch: RowsCheck = rowsCheck({
  id: 'full-batch',
  title: 'A request takes `changesMax` changes of long texts.',
  async run({ pair }) {
    const [writer, reader] = await pair();
    const { changesMax } = writer.rows.traits;
    const names = Array.from({ length: changesMax }, (_, index) => `row#${index}`);
    // A session's record with all that it asks for has about this length.
    const long = 'x'.repeat(1000);
    const created = await writer.change(...names.map((name): Triple => [name, null, long + name]));
    deepStrictEqual(new Set(created), new Set([true]), 'all are created');
    const replaced = await writer.change(
      ...names.map(
        (name, index): Triple => [
          name,
          index % 2 === 0 ? long + name : 'x',
          index % 4 === 0 ? null : `2${name}`,
        ],
      ),
    );
    deepStrictEqual(
      replaced,
      names.map((_, index) => index % 2 === 0),
      'every other is replaced',
    );
    const after = Object.fromEntries(
      names.flatMap((name, index) => {
        if (index % 4 === 0) return [];
        return [[name, index % 2 === 0 ? `2${name}` : long + name]];
      }),
    );
    deepStrictEqual(writer.known, after);
    deepStrictEqual(await reader.read(), after);
  },
});

/** The number of exchanges of the random histories, and what they choose from. */
const [steps, names] = [150, ['a', 'b', 'c', 'd', 'e']];

/** Random requests of several members, one at a time. */
export const likeAMap: RowsCheck = rowsCheck({
  id: 'like-a-map',
  title: 'Several members that take turns read and change the rows as if they were one map.',
  async run({ open }) {
    const random = seededRandom(7);
    const one = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)] as T;
    const members = [await open(), await open(), await open()];
    const model = new Map<string, string>();
    for (let step = 0; step < steps; step += 1) {
      const member = one(members);
      const isFirst = member.position === undefined;
      const changes = isFirst ? [] : names.filter(() => random() < 0.3).map(aChange);
      const made = changes.map(({ name, expected, text }) => {
        if ((model.get(name) ?? null) !== expected) return false;
        if (text === null) model.delete(name);
        else model.set(name, text);
        return true;
      });
      const { outcomes } = await member.exchange({ changes, isWhole: random() < 0.1 });
      const asked = `step ${step}: ${JSON.stringify(changes)}`;
      deepStrictEqual(outcomes, made, `the outcomes of ${asked}`);
      deepStrictEqual(sorted(member), sortedEntries(model), `the rows after ${asked}`);

      function aChange(name: string) {
        const expected = random() < 0.8 ? (model.get(name) ?? null) : one([null, 'x']);
        const text = expected !== null && random() < 0.3 ? null : `${step}${name}`;
        return { name, expected, text, isAwaited: random() < 0.5 };
      }
    }
  },
});

function sorted({ view }: Reader): readonly (readonly [string, string])[] {
  return sortedEntries(view);
}

function sortedEntries(map: ReadonlyMap<string, string>): readonly (readonly [string, string])[] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : 1));
}
