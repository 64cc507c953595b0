// The tests of many members that write at once: a conditional write has one winner.
import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { changed, listed, type OpenGroup, type OpenRows, type RowOutcome } from './open-rows.ts';

/** Each round has three races of all writers. Fifteen rounds kept a server at work for ten seconds. */
const [writersMax, rounds] = [50, 4];

/**
 * Tests of many members that write at once. `findsWinner`: whether a change that lost always returns
 * the text of the one that won, and not sometimes no text.
 */
export function writerTests(open: OpenGroup, findsWinner: boolean): void {
  it(`lets exactly one of ${writersMax} writers create, replace and remove a row, and returns no older text`, async () => {
    const group = randomUUID();
    const writers = Array.from({ length: writersMax }, () => open({ group }));
    const race = async (
      expected: string | null,
      textOf: (index: number) => string | null,
    ): Promise<string | null> => {
      const outcomes = await Promise.all(
        writers.map((writer, index) => changed(writer, 'r', expected, textOf(index))),
      );
      const winners = done(outcomes);
      expect(winners).toHaveLength(1);
      const text = textOf(winners[0] ?? -1);
      for (const { isDone, found } of outcomes)
        if (!isDone && (findsWinner || found !== undefined)) expect(found).toBe(text);
      return text;
    };
    for (let round = 0; round < rounds; round += 1) {
      const first = await race(null, (index) => `${round}/first/${index}`);
      const second = await race(first, (index) => `${round}/second/${index}`);
      expect(await listed(writers[0] as OpenRows)).toEqual(new Map([['r', second]]));
      await race(second, () => null);
    }
    await closed(writers);
  });
}

function done(outcomes: readonly RowOutcome[]): readonly number[] {
  return outcomes.flatMap(({ isDone }, index) => (isDone ? [index] : []));
}

async function closed(all: readonly OpenRows[]): Promise<void> {
  await Promise.all(all.map((one) => one[Symbol.asyncDispose]()));
}
