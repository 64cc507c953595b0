import { type EtcdCluster, hasEtcd, startEtcd } from '@leadership/tools/etcd';
import { silenceTests, writerTests } from '@leadership/tools/rows';
import { afterAll, beforeAll, describe } from 'vitest';
import { openRows } from './support/open-rows.ts';

describe.runIf(await hasEtcd())('requests to etcd', () => {
  let cluster: EtcdCluster;
  beforeAll(async () => {
    cluster = await startEtcd();
  });
  afterAll(() => cluster[Symbol.asyncDispose]());

  silenceTests(
    ({ port, ...options }) => openRows({ endpoints: [`127.0.0.1:${port}`], ...options }),
    () => Number(cluster.endpoints[0]?.split(':')[1]),
  );

  writerTests((options) => openRows({ endpoints: cluster.endpoints, ...options }), true);
});
