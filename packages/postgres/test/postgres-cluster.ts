import type { LeadershipSource } from '@leadership/core';
import type { Cluster } from '@leadership/testkit';
import { faultsThrough, processCluster } from '@leadership/testkit/faults';
import { postgresLeadership } from '../src/index.ts';
import { FaultyPool, type MemberWay, memberWay } from './support/faulty-pool.ts';
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
  const passwordBefore = process.env['PGPASSWORD'];
  // Member processes inherit it.
  process.env['PGPASSWORD'] = config.password;
  const ways = new Map<LeadershipSource, MemberWay>();
  const wayOf = (source: LeadershipSource): MemberWay => {
    const way = ways.get(source);
    if (way === undefined) throw new RangeError(`${source.member} was opened elsewhere`);
    return way;
  };
  return processCluster({
    name: 'postgres',
    // Dozens of members at a time, each with server processes of its own: with a T of 1 s, a starved
    // machine has answered none of them within T/3 for a minute.
    thresholdMs: 2000,
    url: (group) =>
      `postgres://${host}:${port}/${database}?user=${user}&group=${encodeURIComponent(group)}`,
    open(member) {
      const way = memberWay(admin);
      const source = postgresLeadership({ pool: FaultyPool.of(config, way), ...member });
      ways.set(source, way);
      return source;
    },
    storeFaults: faultsThrough((source) => wayOf(source).proxy).storeFaults,
    cut: (source) => wayOf(source).sockets.cut(),
    announcesClaims: true,
    cannot: {
      'lose-quorum': 'a table has no voters',
      'voter-names': 'two members may have one name',
    },
    requests: () => [...ways.values()].reduce((sum, { proxy }) => sum + proxy.requests, 0),
    contents: (group) => contentsOf(admin, group),
    rollBack: (group) => rollBack(admin, group),
    deleteState: (group) => deleteRows(admin, group),
    putGarbage: (group, partition) => putGarbage(admin, group, partition),
    putOtherRelease: (group, ...record) => putOtherRelease(admin, group, ...record),
    async [Symbol.asyncDispose]() {
      if (passwordBefore === undefined) delete process.env['PGPASSWORD'];
      else process.env['PGPASSWORD'] = passwordBefore;
      await opened[Symbol.asyncDispose]();
    },
  });
}
