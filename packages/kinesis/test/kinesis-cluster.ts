import type { LeadershipSource } from '@leadership/core';
import type { Cluster } from '@leadership/testkit';
import { processCluster } from '@leadership/testkit/faults';
import type { DynamoDbOptions } from '@leadership/tools/aws';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { kinesisLeadership } from '../src/index.ts';
import { environment } from './support/environment.ts';
import { localTable } from './support/local-table.ts';
import { MemberWay } from './support/member-way.ts';
import { deleteItems, putGarbage, putOtherRelease } from './support/strange-items.ts';

/** A table as a cluster. Each member of this process has connections of its own to it, which can be cut. */
export async function kinesisCluster(options: DynamoDbOptions = {}): Promise<Cluster> {
  const table = await localTable(options);
  const processes = environment(table.environment);
  const ways = new WeakMap<LeadershipSource, MemberWay>();
  return processCluster({
    name: 'kinesis',
    // A request takes some milliseconds, and tens where the machine is busy.
    thresholdMs: 1000,
    url: (group) => `kinesis://${table.region}?table=${table.name}&group=${encodeURIComponent(group)}`,
    open(member) {
      const way = new MemberWay();
      const dynamodb = { ...table.direct, requestHandler: new NodeHttpHandler({ httpAgent: way }) };
      const source = kinesisLeadership({ table: table.name, dynamodb, ...member });
      ways.set(source, way);
      return source;
    },
    cut: (source) => ways.get(source)?.cut() ?? { [Symbol.dispose]: () => undefined },
    deleteState: (group) => deleteItems(table, group),
    putGarbage: (group, partition) => putGarbage(table, group, partition),
    putOtherRelease: (group, ...record) => putOtherRelease(table, group, ...record),
    async [Symbol.asyncDispose]() {
      processes[Symbol.dispose]();
      await table[Symbol.asyncDispose]();
    },
  });
}
