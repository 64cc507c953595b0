// A replica without the newest records becomes the leader of the partition, as by an unclean election.
import { randomUUID } from 'node:crypto';
import type { RowChange, Rows } from '@leadership/core/adapter';
import { rowsChecks } from '@leadership/testkit';
import { eventually } from '@leadership/testkit/adapter';
import { rowsTests } from '@leadership/testkit/vitest';
import { hasKafka } from '@leadership/tools/kafka';
import { describe, expect, it } from 'vitest';
import { clientNames } from './support/clients.ts';
import { openReplicated, replicatedBrokers } from './support/rows-store.ts';
import { withTopic } from './support/with-topic.ts';

const promoted = rowsChecks.filter(({ id }) => id === 'promoted-replica');

describe.runIf(await hasKafka(replicatedBrokers))('rows on three brokers', () => {
  describe.each(clientNames)('with %s', (client) => {
    rowsTests(() => openReplicated(client), promoted);

    it('changes nothing by an entry that was sent before the tail was lost, and arrives after it (M7)', async () => {
      await using store = await openReplicated(client);
      const { kafka } = store;
      const group = randomUUID();
      const [writer, reader] = [await store.openRows(group), await store.openRows(group)];
      try {
        for (const rows of [writer, reader]) await rows.open?.(AbortSignal.timeout(30_000), true);
        let known = await exchanged(writer);
        known = await exchanged(writer, known, { name: 'a', expected: null, text: 'kept' });
        expect(known.outcomes).toEqual([true]);
        let late: string | null | undefined;
        await store.promote?.(async () => {
          const change = { name: 'a', expected: 'kept', text: 'lost' };
          expect((await exchanged(writer, known, change)).outcomes).toEqual([true]);
          const { values } = await withTopic(kafka, 'rows', ({ read }) => read(0));
          late = values.findLast((value) => value?.includes('"lost"'));
        });
        // As a broker receives it that a client repeats it to.
        await withTopic(kafka, 'rows', ({ append }) => append(0, late ?? 'no such record'));
        const { values } = await withTopic(kafka, 'rows', ({ read }) => read(0));
        expect(values.filter((value) => value?.includes('"lost"'))).toEqual([late]);
        // A reading may be answered by what was read before the loss, until the next fetch shows it.
        for (const rows of [writer, reader])
          await eventually('the loss is noticed, and the late entry has no effect', async () =>
            (await exchanged(rows)).rows.some(([name, text]) => name === 'a' && text === 'kept'),
          );
        const now = await exchanged(reader);
        const change = { name: 'a', expected: 'kept', text: 'changed' };
        expect((await exchanged(reader, now, change)).outcomes).toEqual([true]);
      } finally {
        await Promise.all([writer.close(), reader.close()]);
      }
    });
  });
});

/** Exchanges since the position of an earlier answer. Default: reads everything. */
function exchanged(
  rows: Rows,
  { position }: { readonly position?: unknown } = {},
  ...changes: readonly RowChange[]
): ReturnType<Rows['exchange']> {
  return rows.exchange({ changes, since: position }, AbortSignal.timeout(30_000));
}
