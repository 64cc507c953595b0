// Notifications.
import { deepStrictEqual, ok } from 'node:assert/strict';
import type { NamedText } from '@leadership/core/adapter';
import { eventually } from '../../adapter/eventually.ts';
import type { Reader } from '../reader.ts';
import { type RowsCheck, type RowsContext, rowsCheck } from '../rows-check.ts';

/** Time for a notification that must not arrive. Milliseconds. */
const quietMs = 150;

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, quietMs));

/** Listens, and counts. */
async function listen(reader: Reader, signal: AbortSignal): Promise<{ readonly woken: number }> {
  const counted = { woken: 0 };
  const wake = (): void => {
    counted.woken += 1;
  };
  await reader.rows.listen?.(wake, signal);
  return counted;
}

async function awaited(writer: Reader, text: string): Promise<void> {
  const expected = writer.view.get('a') ?? null;
  const changes = [{ name: 'a', expected, text, isAwaited: true }];
  deepStrictEqual((await writer.exchange({ changes })).outcomes, [true]);
}

async function bothRead({ pair }: RowsContext): Promise<readonly [Reader, Reader]> {
  const [writer, reader] = await pair();
  await reader.read();
  return [writer, reader];
}

/** An awaited change of another member. */
export const notifies: RowsCheck = rowsCheck({
  id: 'notifies',
  title:
    'A member that listens is woken by an awaited change of another member, which it then reads.',
  needs: ['notifications'],
  async run(context) {
    const [writer, reader] = await bothRead(context);
    const stop = new AbortController();
    const listening = await listen(reader, stop.signal);
    for (const text of ['1', '2', '3']) {
      const before = listening.woken;
      await awaited(writer, text);
      await eventually('the other member is woken', () => listening.woken > before, {
        withinMs: context.store.timeoutMs ?? 60_000,
      });
      deepStrictEqual(await reader.read(), { a: text });
    }
    stop.abort();
  },
});

/** An announced change of another member. */
export const announces: RowsCheck = rowsCheck({
  id: 'announces',
  title:
    'A member that listens is shown an announced change of another member, or woken to read it, and is never shown one that was not made.',
  needs: ['notifications'],
  async run(context) {
    const [writer, reader] = await bothRead(context);
    const stop = new AbortController();
    const heard: ('woken' | NamedText)[] = [];
    await reader.rows.listen?.((rows) => heard.push(...(rows ?? ['woken' as const])), stop.signal);
    // The beginning of listening may wake it too.
    await awaited(writer, '1');
    await eventually('the other member is woken', () => heard.includes('woken'));
    await pause();
    heard.length = 0;
    const changes = [
      { name: 'refused', expected: 'another', text: 'refused', isAnnounced: true },
      { name: 'a', expected: '1', text: '2', isAnnounced: true },
    ];
    deepStrictEqual((await writer.exchange({ changes })).outcomes, [false, true]);
    const isNews = (one: 'woken' | NamedText): boolean =>
      one === 'woken' || (one[0] === 'a' && one[1] === '2');
    await eventually('the other member is shown the change, or woken', () => heard.some(isNews), {
      withinMs: context.store.timeoutMs ?? 60_000,
    });
    await pause();
    const refused = heard.filter(([name]) => name === 'refused');
    deepStrictEqual(refused, [], 'it is shown a change that was not made');
    deepStrictEqual(await reader.read(), { a: '2' });
    stop.abort();
  },
});

/** Other groups, and the end of listening. */
export const notifiesOwnGroup: RowsCheck = rowsCheck({
  id: 'notifies-own-group',
  title: 'A member that listens is not woken by another group, nor after its signal has aborted.',
  needs: ['notifications'],
  async run(context) {
    const [writer, reader] = await bothRead(context);
    const stranger = await context.open(`${context.group}2`);
    await stranger.read();
    const stop = new AbortController();
    const listening = await listen(reader, stop.signal);
    await awaited(writer, '1');
    await eventually('it is woken', () => listening.woken > 0);
    await pause();
    const before = listening.woken;
    await awaited(stranger, '2');
    await pause();
    ok(listening.woken === before, 'it is woken by another group');
    stop.abort();
    await awaited(writer, '3');
    await pause();
    ok(listening.woken === before, 'it is woken after it has stopped');
  },
});
