import { eventually } from '@leadership/testkit/adapter';
import { rowsTests } from '@leadership/testkit/vitest';
import { hasLocalEtcd, localEtcd, rolledBack } from '@leadership/tools/etcd';
import { exchanged, newGroup } from '@leadership/tools/rows';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bytesOf, textOf } from '../src/text.ts';
import { type Admin, administrator } from './support/admin.ts';
import { baseOf } from './support/editable-rows.ts';
import { type EtcdStore, openRows, openStore } from './support/rows-store.ts';

describe.runIf(await hasLocalEtcd())('rows on etcd', () => {
  rowsTests(openStore);

  // etcd issue 18667: only the server that receives it evaluates the readings of a transaction.
  it('are the same on all servers after a change whose position was compacted, or lost by a restore', async () => {
    await using cluster = await localEtcd({ servers: 3 });
    const { endpoints, servers } = cluster;
    using admin = administrator({ endpoints });
    const group = 'g';
    const rows = openRows(endpoints, group);
    await rows.open?.(new AbortController().signal, true);
    const { position } = await exchanged(rows, undefined);
    for (const text of ['1', '2']) await admin.put(`${baseOf(group)}b`, text);
    await compact(admin);
    const change = { name: 'a', expected: null, text: '1', isAwaited: true };
    const made = await exchanged(rows, position, [change]);
    expect(made.outcomes).toEqual([true]);
    await alike(endpoints);
    let lost = made;
    await rolledBack(servers, async () => {
      for (const text of ['2', '3', '4'])
        lost = await exchanged(rows, lost.position, [
          { name: 'a', expected: String(Number(text) - 1), text },
        ]);
    });
    const others = [{ name: 'c', expected: null, text: '1', isAwaited: true }];
    const refused = await exchanged(rows, lost.position, others);
    expect(refused).toMatchObject({ outcomes: [false], isRestarted: true });
    expect(new Map(refused.rows).get('a')).toBe('1');
    expect((await exchanged(rows, refused.position, others)).outcomes).toEqual([true]);
    await alike(endpoints);
    await rows.close();
  });

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
      await compact(store.admin);
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

    // Rows that are read later may be newer than the renewal, and can be lost without it (M3).
    it('are shown as they were when the changes were made, also if a person has removed others', async () => {
      const { rows, group } = await newGroup(store);
      let { position } = await exchanged(rows, undefined);
      let [expected, isOver]: [string | null, boolean] = [null, false];
      const writing = (async () => {
        for (let n = 1; !isOver; n += 1) await store.admin.put(`${baseOf(group)}b`, String(n));
      })();
      for (let round = 1; round <= 20; round += 1) {
        await store.admin.put(`${baseOf(group)}c`, String(round));
        ({ position } = await exchanged(rows, position));
        await store.admin.delete(`${baseOf(group)}c`);
        const text = String(round);
        const answer = await exchanged(rows, position, [{ name: 'a', expected, text }]);
        expect(answer).toMatchObject({ outcomes: [true], isWhole: true });
        const [{ mod_revision }] = await found(`${baseOf(group)}a`);
        const [{ value }] = await found(`${baseOf(group)}b`, mod_revision);
        expect(new Map(answer.rows).get('b')).toBe(textOf(value));
        [position, expected] = [answer.position, text];
      }
      isOver = true;
      await writing;
      await rows.close();

      type KeyValue = { readonly mod_revision: string; readonly value: string };
      async function found(key: string, revision = '0'): Promise<readonly [KeyValue]> {
        const reply = await store.admin.call('kv/range', { key: bytesOf(key), revision });
        return reply['kvs'] as readonly [KeyValue];
      }
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

/** Removes all old versions of keys. */
async function compact(admin: Admin): Promise<void> {
  const { header } = (await admin.call('kv/range', { key: 'YQ==' })) as {
    readonly header: { readonly revision: string };
  };
  await admin.call('kv/compaction', { revision: header.revision });
}

/** Resolves once all servers have the same keys, each with the same revisions. */
async function alike(endpoints: readonly string[]): Promise<void> {
  let seen: readonly string[] = [];
  await eventually(
    'all servers have the same keys',
    async () => {
      seen = await Promise.all(endpoints.map(hashOf));
      return new Set(seen).size === 1;
    },
    { withinMs: 10_000, details: () => `: ${seen.join(', ')}` },
  );
}

async function hashOf(endpoint: string): Promise<string> {
  using admin = administrator({ endpoints: [endpoint] });
  const { hash, header } = await admin.call('maintenance/hashkv', { revision: '0' });
  return `${hash} at ${(header as { readonly revision: string }).revision}`;
}
