import { rowsTests } from '@leadership/testkit/vitest';
import { hasLocalEtcd } from '@leadership/tools/etcd';
import { exchanged, newGroup } from '@leadership/tools/rows';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EtcdStore, openStore } from './support/rows-store.ts';
import { baseOf } from './support/strange-rows.ts';

describe.runIf(await hasLocalEtcd())('rows on etcd', () => {
  rowsTests(openStore);

  describe('on a server of their own', () => {
    let store: EtcdStore;
    beforeAll(async () => {
      store = await openStore();
    });
    afterAll(() => store[Symbol.asyncDispose]());

    it('show another history if the disk of the server went back', async () => {
      const { rows } = await newGroup(store);
      const first = await exchanged(rows, undefined);
      const kept = await exchanged(rows, first.position, [
        { name: 'a', expected: null, text: '1' },
      ]);
      let { position } = kept;
      await store.rollBack(async () => {
        const lost = [{ name: 'a', expected: '1', text: '2' }];
        ({ position } = await exchanged(rows, position, lost));
      });
      const changes = [{ name: 'a', expected: '1', text: '3' }];
      const answer = await exchanged(rows, position, changes);
      expect(answer).toMatchObject({ outcomes: [false], isRestarted: true, rows: [['a', '1']] });
      expect((await exchanged(rows, answer.position, changes)).outcomes).toEqual([true]);
      await rows.close();
    });

    it('are changed although the revision of the position was compacted', async () => {
      const { rows, group } = await newGroup(store);
      const { position } = await exchanged(rows, undefined);
      await store.put?.(group, 'b', '1');
      const { header } = (await store.admin.call('kv/range', { key: 'YQ==' })) as {
        readonly header: { readonly revision: string };
      };
      await store.admin.call('kv/compaction', { revision: header.revision });
      const answer = await exchanged(rows, position, [{ name: 'a', expected: null, text: '1' }]);
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
      const { rows, group } = await newGroup(store);
      const { position } = await exchanged(rows, undefined);
      await store.admin.call('kv/put', {
        key: Buffer.from(`${baseOf(group)}a`).toString('base64'),
        value: Buffer.from([0xff, 0x00, 0xfe]).toString('base64'),
      });
      const read = await exchanged(rows, position);
      const [[, text = null] = []] = read.rows;
      expect(text).not.toBeNull();
      const changes = ['\ud800/w==', text].map((expected) => [
        { name: 'a', expected, text: 'one' },
      ]);
      const outcomes: unknown[] = [];
      for (const change of changes)
        outcomes.push((await exchanged(rows, read.position, change)).outcomes);
      expect(outcomes).toEqual([[false], [true]]);
      await rows.close();
    });
  });
});
