import type { Cluster } from '@leadership/testkit';
import { processCluster } from '@leadership/testkit/faults';
import { type KafkaVersion, startKafka } from '@leadership/tools/kafka';
import { type KafkaOptions, kafkaLeadership } from '../src/index.ts';
import { platformaticWith } from '../src/platformatic/platformatic-client.ts';
import type { ClientName } from './support/clients.ts';
import { memberConnections } from './support/member-connections.ts';
import { putGarbage, putOtherRelease } from './support/strange-records.ts';
import { contentsOf, deleteTopic, makeTopic } from './support/topics.ts';

/** One broker, on which every group has a topic of its own: it can be deleted. */
export async function oneBroker(
  version: KafkaVersion = '4.1',
  client: ClientName = 'kafkajs',
): Promise<Cluster> {
  return kafkaCluster({ brokers: 1, version, client, topicOf: (group) => group });
}

/** Three brokers, on which all groups share one topic. */
export async function threeBrokers(
  version: KafkaVersion = '4.1',
  client: ClientName = 'kafkajs',
): Promise<Cluster> {
  const { deleteState: _, ...cluster } = await kafkaCluster({
    brokers: 3,
    version,
    client,
    topicOf: () => 'leadership',
  });
  return {
    ...cluster,
    cannot: {
      ...cluster.cannot,
      'delete-state': 'all groups share one topic',
    },
  };
}

/**
 * Elections that are never leaderless rather than never doubled, on brokers that allow sessions
 * shorter than six seconds.
 */
export function continuousOn(
  brokers: 1 | 3,
  version: KafkaVersion = '4.1',
  client: ClientName = 'kafkajs',
): Promise<Cluster> {
  const election = { guarantee: 'continuous', sessionTimeoutMs: 1000 } as const;
  const config = { 'group.min.session.timeout.ms': 300 };
  // T must exceed the session, and with room for a rebalance of members that share a process.
  return kafkaCluster({
    brokers,
    version,
    client,
    topicOf: () => 'beats',
    election,
    thresholdMs: 3000,
    config,
  });
}

interface Setting {
  /** Default `kafkajs`. */
  readonly client?: ClientName;
  readonly brokers: 1 | 3;
  readonly version: KafkaVersion;
  readonly topicOf: (group: string) => string;
  readonly election?: Pick<KafkaOptions, 'guarantee' | 'sessionTimeoutMs'>;
  /**
   * Default 2000: a renewal takes some ten milliseconds, and several times that where many members
   * share a process.
   */
  readonly thresholdMs?: number;
  readonly config?: Readonly<Record<string, number>>;
}

async function kafkaCluster({
  topicOf,
  election = {},
  thresholdMs = 2000,
  client = 'kafkajs',
  ...brokers
}: Setting): Promise<Cluster> {
  const kafka = await startKafka({ ...brokers, proxied: false });
  const isShared = topicOf('a') === topicOf('b');
  // Made before anybody needs more partitions than the first group has.
  if (isShared)
    await makeTopic(kafka, {
      topic: topicOf(''),
      numPartitions: 16,
      replicationFactor: brokers.brokers,
    });
  const connections = memberConnections();
  const bootstrap = [...kafka.bootstrap];
  const query = Object.fromEntries(
    Object.entries({ ...election, topicCheck: 'safety', client }).map(([name, value]) => [
      name,
      String(value),
    ]),
  );
  return processCluster({
    name: kafka.name,
    thresholdMs,
    url: (group) =>
      `kafka://${bootstrap.join()}/${group}?${new URLSearchParams({ ...query, topic: topicOf(group) })}`,
    open: ({ group, ...options }) =>
      connections.track((socketFactory, opened) =>
        kafkaLeadership({
          ...(client === 'kafkajs'
            ? { kafka: { brokers: bootstrap, socketFactory } }
            : { kafka: { brokers: bootstrap }, client: platformaticWith({ opened }) }),
          topic: topicOf(group),
          topicCheck: 'safety',
          ...election,
          group,
          ...options,
        }),
      ),
    announcesClaims: election.guarantee !== 'continuous',
    cut: connections.cut,
    storeFaults: connections.storeFaults,
    requests: connections.requests,
    cannot: {
      'stale-reads': 'every read goes to the leader of the partition',
      'expired-credentials':
        'these brokers authenticate no one: rights.process.test.ts uses some that do',
      'lose-quorum': 'members do not vote',
      'voter-names': 'two members may have one name',
      announcements: 'a leader of a continuous group is known by its beats',
      contents: 'groups share the topic: observers.process.test.ts uses topics of their own',
      'roll-back': 'a log goes back only after an unclean election: unclean-election.soak.test.ts',
    },
    ...(!isShared && { contents: (group) => contentsOf(kafka, topicOf(group), group) }),
    deleteState: (group) => deleteTopic(kafka, topicOf(group)),
    putGarbage: (group, partition) => putGarbage(kafka, topicOf(group), group, partition),
    putOtherRelease: (group, ...record) => putOtherRelease(kafka, topicOf(group), group, ...record),
    [Symbol.asyncDispose]: () => kafka[Symbol.asyncDispose](),
  });
}
