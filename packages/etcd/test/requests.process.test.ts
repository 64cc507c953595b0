import { type EtcdCluster, hasEtcd, startEtcd } from '@leadership/tools/etcd';
import { networkTests, silenceTests, writerTests } from '@leadership/tools/rows';
import { afterAll, beforeAll, describe } from 'vitest';
import { etcdLeadership } from '../src/index.ts';
import { openRows } from './support/open-rows.ts';

describe.runIf(await hasEtcd())('requests to etcd', () => {
  let cluster: EtcdCluster;
  beforeAll(async () => {
    cluster = await startEtcd();
  });
  afterAll(() => cluster[Symbol.asyncDispose]());

  const serverPort = (): number => Number(cluster.endpoints[0]?.split(':')[1]);

  silenceTests(
    ({ port, ...options }) => openRows({ endpoints: [`127.0.0.1:${port}`], ...options }),
    serverPort,
  );

  networkTests(
    ({ port, ...options }) => etcdLeadership({ endpoints: [`127.0.0.1:${port}`], ...options }),
    serverPort,
  );

  writerTests((options) => openRows({ endpoints: cluster.endpoints, ...options }), true);
});
