import { setTimeout as pause } from 'node:timers/promises';
import { type KafkaCluster, type KafkaVersion, startKafka } from '@leadership/tools/kafka';
import {
  networkFaults,
  type SoakContext,
  type SoakEnvironment,
  serverFaults,
} from '@leadership/tools/soak';
import { type OwnProxies, ownProxies } from './own-proxies.ts';
import { administered, deleteTopic, makeTopic } from './topics.ts';

/**
 * Brokers miss one another, and the coordinator members, sooner than stock ones: more happens in an
 * hour. Milliseconds.
 */
const config = {
  'broker.session.timeout.ms': 3000,
  'broker.heartbeat.interval.ms': 500,
  'group.min.session.timeout.ms': 300,
};
const sessionTimeoutMs = 2000;
const topic = 'soak';
/** How long an operator tries to delete a group that somebody may be in still. Milliseconds. */
const operatorMs = 6_000;

/** Three brokers, to which every member has proxies of its own. */
export async function kafkaEnvironment(
  names: readonly string[],
  version: KafkaVersion,
): Promise<SoakEnvironment> {
  const kafka = await startKafka({ brokers: 3, config, proxied: false, faults: true, version });
  const connections = new Map(
    await Promise.all(names.map(async (name) => [name, await ownProxies(kafka)] as const)),
  );
  return {
    name: kafka.name,
    memberOptions(member) {
      const { module } = proxiesOf(connections, member);
      return {
        url: `kafka://${kafka.bootstrap.join()}/soak?topic=${topic}&topicCheck=safety&sessionTimeoutMs=${sessionTimeoutMs}`,
        module,
      };
    },
    memberFaults: networkFaults((member) => proxiesOf(connections, member).proxies),
    environmentFaults: {
      ...serverFaults(kafka.brokers),
      ...environmentFaultsOnTopics(kafka),
    },
    environmentFaultEvery: 30,
    async [Symbol.asyncDispose]() {
      await Promise.all([...connections.values()].map((own) => own[Symbol.asyncDispose]()));
      await kafka[Symbol.asyncDispose]();
    },
  };
}

function proxiesOf(connections: ReadonlyMap<string, OwnProxies>, member: string): OwnProxies {
  const own = connections.get(member);
  if (own === undefined) throw new Error(`${member} has no proxies of its own`);
  return own;
}

function environmentFaultsOnTopics(kafka: KafkaCluster): SoakEnvironment['environmentFaults'] {
  return {
    // Another fault may have deleted or created it already, or a broker may be down.
    'topic deleted': () => deleteTopic(kafka, topic).catch(() => undefined),
    async 'topic deleted and made again'({ settings }) {
      await deleteTopic(kafka, topic).catch(() => undefined);
      await makeTopic(kafka, {
        topic,
        numPartitions: settings.partitions,
        replicationFactor: 3,
      }).catch(() => undefined);
    },
    'group deleted while all are stopped': (context) =>
      whileStopped(context, () => deleteGroup(kafka)),
  };
}

/** Stops a member that has no other fault now. */
async function whileStopped({ members }: SoakContext, act: () => Promise<void>): Promise<void> {
  const idle = members.slots.filter(({ busy }) => !busy);
  for (const slot of idle) {
    slot.busy = true;
    slot.member.pause();
  }
  await act();
  for (const slot of idle) {
    slot.member.resume();
    slot.busy = false;
  }
}

async function deleteGroup(kafka: KafkaCluster): Promise<void> {
  for (const until = performance.now() + operatorMs; performance.now() < until; await pause(100)) {
    const [result] = await administered(kafka, (admin) =>
      admin.deleteGroups([`leadership:${topic}:soak`]),
    ).catch(() => []);
    if (result !== undefined && !result.errorCode) return;
  }
}
