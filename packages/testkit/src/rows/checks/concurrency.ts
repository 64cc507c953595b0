// Many members at once.
import { deepStrictEqual, ok } from 'node:assert/strict';
import { seededRandom } from '../../adapter/seeded-random.ts';
import type { Reader, Triple } from '../reader.ts';
import { RowHistory } from '../row-history.ts';
import { type RowsCheck, type RowsContext, rowsCheck } from '../rows-check.ts';

const [racersMax, races] = [20, 3];

/** Members that want the same. */
export const oneWinner: RowsCheck = rowsCheck({
  id: 'one-winner',
  title: 'Of many members that create, replace or remove a row at the same moment, one succeeds.',
  async run({ open }) {
    const racers = await openMany(open, racersMax);
    const race = async (
      expected: string | null,
      textOf: (index: number) => string | null,
    ): Promise<string | null> => {
      const made = await Promise.all(
        racers.map(async (racer, index) => {
          const [isMade] = await racer.change(['a', expected, textOf(index)]);
          return isMade === true ? [index] : [];
        }),
      );
      const [winner = -1, ...others] = made.flat();
      ok(winner >= 0 && others.length === 0, `members ${made.flat().join()} succeeded`);
      const text = textOf(winner);
      for (const racer of racers)
        deepStrictEqual(await racer.read(), text === null ? {} : { a: text });
      return text;
    };
    for (let number = 0; number < races; number += 1) {
      const first = await race(null, (index) => `${number}/1/${index}`);
      const second = await race(first, (index) => `${number}/2/${index}`);
      await race(second, () => null);
    }
  },
});

const [writersMax, readersMax, exchanges] = [8, 4, 60];
const names = ['a', 'b', 'c', 'd', 'e', 'f'];

/** Members that change many rows at once, in batches that overlap, and members that only read. */
export const noRowIsMissed: RowsCheck = rowsCheck({
  id: 'no-row-is-missed',
  title: 'Among many writers no reader misses a change, and each row goes from text to text.',
  async run({ open }) {
    const history = new RowHistory();
    const [writers, readers] = [await openMany(open, writersMax), await openMany(open, readersMax)];
    let writing = writers.length;
    const write = async (writer: Reader, number: number): Promise<void> => {
      const random = seededRandom(number);
      for (let index = 0; index < exchanges; index += 1) {
        const changes = names
          .filter(() => random() < 0.4)
          .sort(() => random() - 0.5)
          .map((name): Triple => {
            const expected = writer.view.get(name) ?? null;
            const isRemoved = expected !== null && random() < 0.2;
            return [name, expected, isRemoved ? null : `${number}/${index}/${name}`];
          });
        await history.exchange(writer, changes);
      }
      writing -= 1;
    };
    const read = async (reader: Reader): Promise<void> => {
      while (writing > 0) await history.exchange(reader, []);
    };
    await Promise.all([...writers.map(write), ...readers.map(read)]);
    // Now nothing changes any longer, so a row that a reader has missed shows.
    const last = await (await open()).read();
    for (const member of [...writers, ...readers]) {
      await history.exchange(member, []);
      deepStrictEqual(member.known, last, 'what a member knows in the end');
    }
    history.judge();
  },
});

async function openMany(open: RowsContext['open'], count: number): Promise<readonly Reader[]> {
  const readers = await Promise.all(Array.from({ length: count }, () => open()));
  for (const reader of readers) await reader.read();
  return readers;
}
