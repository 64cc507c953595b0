import { type EtcdCluster, hasEtcd, startEtcd } from '@leadership/tools/etcd';
import {
  changed,
  listed,
  type OpenGroup,
  rowsTests,
  silenceTests,
  writerTests,
} from '@leadership/tools/rows';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Admin, administrator } from './support/admin.ts';
import { openRows } from './support/open-rows.ts';
import { baseOf } from './support/strange-rows.ts';

describe.runIf(await hasEtcd())('rows on etcd', () => {
  let cluster: EtcdCluster;
  let admin: Admin;
  const open: OpenGroup = (options) => openRows({ endpoints: cluster.endpoints, ...options });
  beforeAll(async () => {
    cluster = await startEtcd();
    admin = administrator({ endpoints: cluster.endpoints });
  });
  afterAll(async () => {
    admin[Symbol.dispose]();
    await cluster[Symbol.asyncDispose]();
  });

  rowsTests(open);

  silenceTests(
    ({ port, ...options }) => openRows({ endpoints: [`127.0.0.1:${port}`], ...options }),
    () => Number(cluster.endpoints[0]?.split(':')[1]),
  );

  writerTests(open, true);

  it('shows bytes that are not UTF-8, and replaces them', async () => {
    await using rows = openRows({ endpoints: cluster.endpoints });
    await admin.call('kv/put', {
      key: Buffer.from(`${baseOf(rows.group)}a`).toString('base64'),
      value: Buffer.from([0xff, 0x00, 0xfe]).toString('base64'),
    });
    const text = (await listed(rows)).get('a') ?? '';
    expect(await changed(rows, 'a', '\ud800/w==', 'one')).toEqual({ isDone: false, found: text });
    expect(await changed(rows, 'a', text, 'one')).toEqual({ isDone: true });
  });
});
