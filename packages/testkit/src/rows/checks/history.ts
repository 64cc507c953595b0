// Acknowledged changes that the store has lost.
import { deepStrictEqual, ok } from 'node:assert/strict';
import { changesOf } from '../reader.ts';
import { type RowsCheck, type RowsContext, rowsCheck } from '../rows-check.ts';

type Lose = (during: () => Promise<void>) => Promise<void>;

/**
 * A member whose newest change was lost, one that knew only what was kept, and a change whose
 * condition holds again.
 */
async function loseHistory({ open }: RowsContext, lose: Lose): Promise<void> {
  const [writer, idle, observer] = [await open(), await open(), await open()];
  for (const reader of [writer, idle, observer]) await reader.read();
  await writer.change(['a', null, '1'], ['b', null, '2']);
  await idle.read();
  await lose(async () => {
    const made = await writer.change(['a', '1', '3'], ['b', '2', null], ['c', null, '4']);
    deepStrictEqual(made, [true, true, true]);
    deepStrictEqual(await observer.read(), { a: '3', c: '4' });
  });
  const kept = { a: '1', b: '2' };
  for (const [reader, what] of [
    [writer, 'the member whose change was lost'],
    [idle, 'a member that knew what was kept'],
    [observer, 'a member that had read what was lost'],
  ] as const) {
    // The conditions hold in what was restored.
    const changes = changesOf(['a', '1', '5'], ['c', null, '6']);
    const answer = await reader.exchange({ changes });
    ok(answer.isRestarted === true, `${what} receives another history`);
    deepStrictEqual(answer.outcomes, [false, false], `nothing is changed for ${what}`);
    // A store that reads first has made no changes either.
    deepStrictEqual(reader.known, kept, `${what} receives the kept rows`);
    deepStrictEqual(await (await open()).read(), kept, 'a new member reads the same');
  }
  // Then they go on in the new history.
  deepStrictEqual((await writer.exchange()).isRestarted ?? false, false);
  deepStrictEqual(await writer.change(['a', '1', '7']), [true]);
  deepStrictEqual(await idle.read(), { a: '7', b: '2' });
  deepStrictEqual(await observer.read(), { a: '7', b: '2' });
}

/** A backup. */
export const restoredBackup: RowsCheck = rowsCheck({
  id: 'restored-backup',
  title:
    'A store that was restored shows another history, and changes nothing for a reader of the old one.',
  needs: ['restored-backup'],
  alone: true,
  run: (context) => loseHistory(context, async (during) => context.store.restore?.(during)),
});

/** A replica. */
export const promotedReplica: RowsCheck = rowsCheck({
  id: 'promoted-replica',
  title:
    'A promoted replica shows another history, and changes nothing for a reader of the old one.',
  needs: ['promoted-replica'],
  alone: true,
  run: (context) => loseHistory(context, async (during) => context.store.promote?.(during)),
});
