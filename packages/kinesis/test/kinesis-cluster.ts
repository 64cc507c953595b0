import type { LeadershipSource } from '@leadership/core';
import type { Cluster } from '@leadership/testkit';
import { processCluster, proxiedMembers } from '@leadership/testkit/faults';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { kinesisLeadership } from '../src/index.ts';
import { groupKey } from '../src/stream/hash-key.ts';
import { localStream } from './support/local-stream.ts';
import { localTable } from './support/local-table.ts';
import { MemberHandler } from './support/member-handler.ts';
import { MemberWay } from './support/member-way.ts';
import {
  contentsOf,
  deleteItems,
  putGarbage,
  putOtherRelease,
  rollBack,
} from './support/strange-items.ts';

/**
 * Creates a cluster on a table. Each member of this process has its own connections, which can be
 * cut, and its own HTTP handler, which injects the other faults.
 */
export async function kinesisCluster(): Promise<Cluster> {
  const table = await localTable();
  return processCluster({
    name: 'kinesis',
    // DynamoDB Local compiles itself while it answers its first requests. On a busy machine they take
    // longer than the third of a second that a request may take with a T of 1 s.
    thresholdMs: 2000,
    keepsPartitionsMax: true,
    url: (group) =>
      `kinesis://${table.region}?table=${table.name}&group=${encodeURIComponent(group)}`,
    env: table.environment,
    ...proxiedMembers((member) => {
      const requestHandler = new MemberHandler();
      const source = kinesisLeadership({
        table: table.name,
        dynamodb: { ...table.direct, requestHandler },
        ...member,
      });
      return { source, proxy: requestHandler.way, cut: () => requestHandler.cut() };
    }),
    cannot: {
      announcements: 'a table notifies no member: all poll',
      'lose-quorum': 'a table has no voters',
      'voter-names': 'two members may have one name',
    },
    contents: (group) => contentsOf(table, group),
    rollBack: (group, partition) => rollBack(table, group, partition),
    deleteState: (group) => deleteItems(table, group),
    putGarbage: (group, partition) => putGarbage(table, group, partition),
    putOtherRelease: (group, ...record) => putOtherRelease(table, group, ...record),
    [Symbol.asyncDispose]: () => table[Symbol.asyncDispose](),
  });
}

/** A lease that a process with many members can renew on a busy machine. Milliseconds. */
const leaseMs = 2000;

/** Groups on one shard read each other's beats, so the groups are spread over several streams. */
const streams = 16;

/** Creates a cluster with a stream beside the table, for the guarantee `continuous`. */
export async function continuousCluster(): Promise<Cluster> {
  const [table, stream] = await Promise.all([localTable(), localStream(1)]);
  const names = await Promise.all(Array.from({ length: streams }, () => stream.another()));
  const nameFor = (group: string): string =>
    names[Number(groupKey(group) % BigInt(streams))] ?? stream.name;
  const ways = new WeakMap<LeadershipSource, MemberWay>();
  return processCluster({
    name: 'kinesis',
    // The readers of a group share five reads per second, and a planned move takes three reads of
    // each.
    thresholdMs: 4500,
    url: (group) =>
      `kinesis://${table.region}/${nameFor(group)}?guarantee=continuous&leaseMs=${leaseMs}&table=${table.name}&group=${encodeURIComponent(group)}`,
    env: { ...table.environment, ...stream.environment },
    open(member) {
      const way = new MemberWay();
      const requestHandler = new NodeHttpHandler({ httpAgent: way });
      const clients = {
        dynamodb: { ...table.direct, requestHandler },
        kinesis: { ...stream.direct, requestHandler },
      };
      const source = kinesisLeadership({
        table: table.name,
        stream: nameFor(member.group),
        guarantee: 'continuous',
        leaseMs,
        ...clients,
        ...member,
      });
      ways.set(source, way);
      return source;
    },
    contents: (group) => contentsOf(table, group),
    cut: (source) => ways.get(source)?.cut() ?? { [Symbol.dispose]: () => undefined },
    deleteState: (group) => deleteItems(table, group),
    async [Symbol.asyncDispose]() {
      await Promise.all([table[Symbol.asyncDispose](), stream[Symbol.asyncDispose]()]);
    },
  });
}
