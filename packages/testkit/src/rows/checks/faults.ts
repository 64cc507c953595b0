// Replies that are lost, requests that are given up, and the end.
import { deepStrictEqual, ok, rejects } from 'node:assert/strict';
import { eventually } from '../../adapter/eventually.ts';
import { changesOf, type Reader, type Triple } from '../reader.ts';
import { offered, type RowsCheck, rowsCheck } from '../rows-check.ts';
import type { RowsStore } from '../rows-store.ts';

/** A request without a reply is given up after this time. Milliseconds. */
const givenUpMs = 300;
/** A call settles so soon after its signal has aborted, on a starved machine. Milliseconds. */
const settledMsMax = 10_000;

/** The store makes the changes, and the member does not receive the answer. */
export const lostReply: RowsCheck = rowsCheck({
  id: 'lost-reply',
  title: 'A request whose reply is lost rejects, and its repetition shows what it has done.',
  needs: ['lost-replies'],
  async run({ pair, store }) {
    const [writer, reader] = await pair();
    let round = 0;
    await eventually('a repetition is not overtaken by a request on its way', async () => {
      round += 1;
      return await isRepeated(writer, reader, store, round);
    });
  },
});

/**
 * Resolves with whether the repetition was judged. Where the changes are requests of their own, one that the
 * reader was not shown may arrive before it is repeated, and then the repetition makes nothing.
 */
async function isRepeated(
  writer: Reader,
  reader: Reader,
  store: RowsStore,
  round: number,
): Promise<boolean> {
  const [one, two, three, four] = [`1/${round}`, `2/${round}`, `3/${round}`, `4/${round}`] as const;
  await writer.change(['a', null, one], ['b', null, two]);
  await reader.read();
  const changes = changesOf(['a', one, three], ['b', two, null], ['c', null, four]);
  const loss = offered(store.loseReplies?.bind(store))(writer.rows);
  // Where the changes are requests of their own, those behind the lost reply were not sent; and one that
  // the store had no time to read for, changed nothing.
  await eventually('a change is made', async () => {
    const signal = AbortSignal.timeout(givenUpMs);
    await rejects(writer.send({ changes, signal }), 'a request without a reply rejects');
    return (await reader.read())['a'] === three;
  });
  loss[Symbol.dispose]();
  const made = [true, reader.known['b'] === undefined, reader.known['c'] === four];
  if (!writer.rows.traits.readsFirst) deepStrictEqual(made, [true, true, true]);
  const { outcomes } = await writer.exchange({ changes });
  deepStrictEqual(writer.known, { a: three, c: four });
  deepStrictEqual(await reader.read(), { a: three, c: four });
  const isOvertaken = outcomes.some((outcome, index) => !(outcome || made[index]));
  if (isOvertaken) await writer.change(['a', three, null], ['c', four, null]);
  else
    deepStrictEqual(
      outcomes,
      made.map((isMade) => !isMade),
      'the outcomes of the repetition',
    );
  return !isOvertaken;
}

/** A request that is given up before it is sent. */
export const abortedBefore: RowsCheck = rowsCheck({
  id: 'aborted-before',
  title: 'A request whose signal has aborted rejects, and changes nothing.',
  async run({ pair }) {
    const [writer, reader] = await pair();
    const changes = changesOf(['a', null, '1']);
    await rejects(writer.send({ changes, signal: AbortSignal.abort() }), 'the request rejects');
    deepStrictEqual(await reader.read(), {});
    deepStrictEqual(await writer.change(['a', null, '2']), [true]);
  },
});

const givenUp = 10;

/** Requests that are given up under way, which may have been made all the same. */
export const abortedUnderWay: RowsCheck = rowsCheck({
  id: 'aborted-under-way',
  title: 'A request that is given up settles soon, and the next one shows what became of it.',
  async run({ pair }) {
    const [writer, reader] = await pair();
    let text: string | null = null;
    for (let index = 0; index < givenUp; index += 1) {
      const over = new AbortController();
      const next = `1/${index}`;
      const sent = writer.send({ changes: changesOf(['a', text, next]), signal: over.signal });
      const settled = sent.then(
        ({ outcomes }) => outcomes[0],
        () => undefined,
      );
      if (index % 2 === 0) setTimeout(() => over.abort(), index / 2);
      else over.abort();
      const isMade = await inTime(settled);
      // A request that was given up may reach the store later than the next one of this member.
      text = `2/${index}`;
      await eventually('the row is replaced', async () => {
        const known = (await writer.read())['a'] ?? null;
        if (isMade) deepStrictEqual(known, next, 'a change that was made is read');
        return (await writer.change(['a', known, text]))[0];
      });
      deepStrictEqual(await reader.read(), { a: text });
    }
  },
});

async function inTime<T>(settled: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const error = new Error(`a request that was given up did not settle in ${settledMsMax} ms`);
    timer = setTimeout(() => reject(error), settledMsMax);
  });
  return Promise.race([settled, late]).finally(() => clearTimeout(timer));
}

/** The end of a member. */
export const closed: RowsCheck = rowsCheck({
  id: 'closed',
  title: 'Rows that are closed send nothing any more, and may be closed again.',
  async run({ pair }) {
    const [writer, reader] = await pair();
    await writer.change(['a', null, '1']);
    const underWay = writer.send().catch(() => undefined);
    await writer.rows.close();
    await inTime(underWay);
    await writer.rows.close();
    const change: Triple = ['a', '1', '2'];
    await rejects(writer.send({ changes: changesOf(change) }), 'a request after close rejects');
    deepStrictEqual(await reader.read(), { a: '1' });
    ok(await reader.change(change), 'another member goes on');
  },
});
