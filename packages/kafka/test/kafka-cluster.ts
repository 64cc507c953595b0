import type { Cluster } from '@leadership/testkit';
import { processCluster } from '@leadership/testkit/faults';
import { startKafka } from '@leadership/tools/kafka';
import { kafkaLeadership } from '../src/index.ts';
import { memberWays } from './support/member-ways.ts';
import { putGarbage, putOtherRelease } from './support/strange-records.ts';
import { deleteTopic } from './support/topics.ts';

/** The Kafka backend as a cluster: every group has a topic of its own, and every member of this process its own connections. */
export async function kafkaCluster(): Promise<Cluster> {
  const kafka = await startKafka({ brokers: 1, proxied: false });
  const ways = memberWays();
  const brokers = [...kafka.bootstrap];
  return processCluster({
    name: 'kafka, one broker',
    // A renewal takes some ten milliseconds, and several times that where many members share a process.
    thresholdMs: 1000,
    url: (group) => `kafka://${brokers.join()}/${group}?topic=${group}&topicCheck=safety`,
    open: (options) =>
      ways.track((socketFactory) =>
        kafkaLeadership({ kafka: { brokers, socketFactory }, topic: options.group, topicCheck: 'safety', ...options }),
      ),
    cut: ways.cut,
    deleteState: (group) => deleteTopic(kafka, group),
    putGarbage: (group, partition) => putGarbage(kafka, group, group, partition),
    putOtherRelease: (group, ...record) => putOtherRelease(kafka, group, group, ...record),
    [Symbol.asyncDispose]: () => kafka[Symbol.asyncDispose](),
  });
}
