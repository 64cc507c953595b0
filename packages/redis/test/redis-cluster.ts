import type { Cluster } from '@leadership/testkit';
import { processCluster, proxiedMembers, rowFaults } from '@leadership/testkit/faults';
import { startRedis } from '@leadership/tools/redis';
import { Redis } from 'ioredis';
import { redisLeadership } from '../src/index.ts';
import { contentsOf, editableRows, keysOf } from './support/editable-rows.ts';
import { cut, faultyRedis, memberWay } from './support/faulty-redis.ts';

/** Creates a cluster on one server. Each member of this process has connections of its own. */
export async function redisCluster(): Promise<Cluster> {
  const server = await startRedis();
  const { host, port } = server;
  const admin = new Redis({ host, port });
  return processCluster({
    name: 'redis',
    // A request takes less than a millisecond, or tens of milliseconds on a busy machine.
    thresholdMs: 1000,
    url: (group) => `redis://${host}:${port}?group=${encodeURIComponent(group)}`,
    ...proxiedMembers((member) => {
      const way = memberWay(admin);
      const source = redisLeadership({ client: faultyRedis({ host, port }, way), ...member });
      return { source, proxy: way.proxy, cut: () => cut(way) };
    }),
    announcesClaims: true,
    keepsPartitionsMax: true,
    cannot: {
      'lose-quorum': 'a hash has no voters',
      'voter-names': 'two members may have one name',
    },
    ...rowFaults(editableRows(admin)),
    contents: (group) => contentsOf(admin, group),
    async deleteState(group) {
      await admin.del(keysOf(group)[0]);
    },
    async [Symbol.asyncDispose]() {
      admin.disconnect();
      await server[Symbol.asyncDispose]();
    },
  });
}
