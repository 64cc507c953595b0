import { randomUUID } from 'node:crypto';
import type { Exchanged, Rows } from '@leadership/core/internal/rows';
import { rowsTests } from '@leadership/testkit/internal/vitest';
import { hasLocalEtcd } from '@leadership/tools/etcd';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EtcdStore, openStore } from './support/rows-store.ts';
import { baseOf } from './support/strange-rows.ts';

/** A request that takes longer hangs. Milliseconds. */
const requestMsMax = 30_000;

describe.runIf(await hasLocalEtcd())('rows on etcd', () => {
  rowsTests(openStore);

  describe('on a server of their own', () => {
    let store: EtcdStore;
    beforeAll(async () => {
      store = await openStore();
    });
    afterAll(() => store[Symbol.asyncDispose]());

    it('show another history if the disk of the server went back', async () => {
      const { rows } = await opened(store);
      const first = await exchange(rows, undefined);
      const kept = await exchange(rows, first.position, [{ name: 'a', expected: null, text: '1' }]);
      let { position } = kept;
      await store.rollBack(async () => {
        const lost = [{ name: 'a', expected: '1', text: '2' }];
        ({ position } = await exchange(rows, position, lost));
      });
      const changes = [{ name: 'a', expected: '1', text: '3' }];
      const answer = await exchange(rows, position, changes);
      expect(answer).toMatchObject({ outcomes: [false], isRestarted: true, rows: [['a', '1']] });
      expect((await exchange(rows, answer.position, changes)).outcomes).toEqual([true]);
      await rows.close();
    });

    it('are changed although the revision of the position was compacted', async () => {
      const { rows, group } = await opened(store);
      const { position } = await exchange(rows, undefined);
      await store.put?.(group, 'b', '1');
      const { header } = (await store.admin.call('kv/range', { key: 'YQ==' })) as {
        readonly header: { readonly revision: string };
      };
      await store.admin.call('kv/compaction', { revision: header.revision });
      const answer = await exchange(rows, position, [{ name: 'a', expected: null, text: '1' }]);
      expect(answer.outcomes).toEqual([true]);
      expect(answer.isRestarted).toBeUndefined();
      expect(new Map(answer.rows)).toEqual(
        new Map([
          ['a', '1'],
          ['b', '1'],
        ]),
      );
      await rows.close();
    });

    it('show bytes that are not UTF-8, and replace them', async () => {
      const { rows, group } = await opened(store);
      const { position } = await exchange(rows, undefined);
      await store.admin.call('kv/put', {
        key: Buffer.from(`${baseOf(group)}a`).toString('base64'),
        value: Buffer.from([0xff, 0x00, 0xfe]).toString('base64'),
      });
      const read = await exchange(rows, position);
      const [[, text = null] = []] = read.rows;
      expect(text).not.toBeNull();
      const changes = ['\ud800/w==', text].map((expected) => [
        { name: 'a', expected, text: 'one' },
      ]);
      const outcomes: unknown[] = [];
      for (const change of changes)
        outcomes.push((await exchange(rows, read.position, change)).outcomes);
      expect(outcomes).toEqual([[false], [true]]);
      await rows.close();
    });
  });
});

async function opened(store: EtcdStore): Promise<{ rows: Rows; group: string }> {
  const group = randomUUID();
  const rows = await store.openRows(group);
  await rows.open?.(new AbortController().signal, true);
  return { rows, group };
}

async function exchange(
  rows: Rows,
  since: unknown,
  changes: readonly { name: string; expected: string | null; text: string }[] = [],
): Promise<Exchanged> {
  return rows.exchange({ changes, since }, AbortSignal.timeout(requestMsMax));
}
