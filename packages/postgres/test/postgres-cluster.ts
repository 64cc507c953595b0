import type { Cluster } from '@leadership/testkit';
import { processCluster, proxiedMembers } from '@leadership/testkit/faults';
import { postgresLeadership } from '../src/index.ts';
import { FaultyPool, memberWay } from './support/faulty-pool.ts';
import { testServer } from './support/server.ts';
import {
  contentsOf,
  deleteRows,
  putGarbage,
  putOtherRelease,
  rollBack,
} from './support/strange-rows.ts';

/** Creates a cluster on one server. Each member of this process has connections of its own. */
export async function postgresCluster(): Promise<Cluster> {
  const { server, config, admin, ...opened } = await testServer();
  const { host, port, database, user } = config;
  return processCluster({
    name: 'postgres',
    // Dozens of members at a time, each with server processes of its own: with a T of 1 s, a starved
    // machine has answered none of them within T/3 for a minute.
    thresholdMs: 2000,
    url: (group) =>
      `postgres://${host}:${port}/${database}?user=${user}&group=${encodeURIComponent(group)}`,
    env: { PGPASSWORD: config.password },
    ...proxiedMembers((member) => {
      const way = memberWay(admin);
      const source = postgresLeadership({ pool: FaultyPool.of(config, way), ...member });
      return { source, proxy: way.proxy, cut: () => way.sockets.cut() };
    }),
    announcesClaims: true,
    cannot: {
      'lose-quorum': 'a table has no voters',
      'voter-names': 'two members may have one name',
    },
    contents: (group) => contentsOf(admin, group),
    rollBack: (group) => rollBack(admin, group),
    deleteState: (group) => deleteRows(admin, group),
    putGarbage: (group, partition) => putGarbage(admin, group, partition),
    putOtherRelease: (group, ...record) => putOtherRelease(admin, group, ...record),
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  });
}
