import type { LeadershipSource } from '@leadership/core';
import type { Cluster } from '@leadership/testkit';
import { faultsThrough, processCluster } from '@leadership/testkit/faults';
import { startRedis } from '@leadership/tools/redis';
import { Redis } from 'ioredis';
import { redisLeadership } from '../src/index.ts';
import { cut, faultyRedis, type MemberWay, memberWay } from './support/faulty-redis.ts';
import {
  contentsOf,
  deleteRows,
  putGarbage,
  putOtherRelease,
  rollBack,
} from './support/strange-rows.ts';

/** Creates a cluster on one server. Each member of this process has connections of its own. */
export async function redisCluster(): Promise<Cluster> {
  const server = await startRedis();
  const { host, port } = server;
  const admin = new Redis({ host, port });
  const ways = new Map<LeadershipSource, MemberWay>();
  const wayOf = (source: LeadershipSource): MemberWay => {
    const way = ways.get(source);
    if (way === undefined) throw new RangeError(`${source.member} was opened elsewhere`);
    return way;
  };
  return processCluster({
    name: 'redis',
    // A request takes less than a millisecond, or tens of milliseconds on a busy machine.
    thresholdMs: 1000,
    url: (group) => `redis://${host}:${port}?group=${encodeURIComponent(group)}`,
    open(member) {
      const way = memberWay(admin);
      const source = redisLeadership({ client: faultyRedis({ host, port }, way), ...member });
      ways.set(source, way);
      return source;
    },
    storeFaults: faultsThrough((source) => wayOf(source).proxy).storeFaults,
    cut: (source) => cut(wayOf(source)),
    announcesClaims: true,
    cannot: {
      'lose-quorum': 'a hash has no voters',
      'voter-names': 'two members may have one name',
    },
    requests: () => [...ways.values()].reduce((sum, { proxy }) => sum + proxy.requests, 0),
    contents: (group) => contentsOf(admin, group),
    rollBack: (group) => rollBack(admin, group),
    deleteState: (group) => deleteRows(admin, group),
    putGarbage: (group, partition) => putGarbage(admin, group, partition),
    putOtherRelease: (group, ...record) => putOtherRelease(admin, group, ...record),
    async [Symbol.asyncDispose]() {
      admin.disconnect();
      await server[Symbol.asyncDispose]();
    },
  });
}
