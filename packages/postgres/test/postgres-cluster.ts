import type { Cluster } from '@leadership/testkit';
import { processCluster, proxiedMembers, rowFaults } from '@leadership/testkit/faults';
import { postgresLeadership } from '../src/index.ts';
import { deleteRows, editableRows } from './support/editable-rows.ts';
import { FaultyPool, memberWay } from './support/faulty-pool.ts';
import { testServer } from './support/server.ts';

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
    keepsPartitionsMax: true,
    cannot: {
      'lose-quorum': 'a table has no voters',
      'voter-names': 'two members may have one name',
    },
    ...rowFaults(editableRows(admin)),
    deleteState: (group) => deleteRows(admin, group),
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  });
}
