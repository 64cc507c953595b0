import {
  type KafkaBroker,
  type KafkaCluster,
  type KafkaVersion,
  startKafka,
} from '@leadership/tools/kafka';
import {
  type FaultyServer,
  networkFaults,
  type SoakEnvironment,
  serverFaults,
} from '@leadership/tools/soak';
import { type OwnProxies, ownProxies } from './own-proxies.ts';
import { deleteTopic, makeTopic } from './topics.ts';

/** Brokers miss one another sooner than stock ones: more happens in an hour. Milliseconds. */
const config = {
  'broker.session.timeout.ms': 3000,
  'broker.heartbeat.interval.ms': 500,
};
const topic = 'soak';
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
        url: `kafka://${kafka.bootstrap.join()}/soak?topic=${topic}&topicCheck=safety`,
        module,
      };
    },
    memberFaults: networkFaults((member) => proxiesOf(connections, member).proxies),
    environmentFaults: {
      ...serverFaults(
        kafka.brokers.map((broker, index) => brokerWith(broker, connections, index)),
        'broker',
      ),
      ...environmentFaultsOnTopics(kafka),
    },
    environmentFaultEvery: 15,
    async [Symbol.asyncDispose]() {
      await Promise.all([...connections.values()].map((own) => own[Symbol.asyncDispose]()));
      await kafka[Symbol.asyncDispose]();
    },
  };
}

/** A broker that can also be cut off from all members. The other brokers reach it meanwhile. */
function brokerWith(
  broker: KafkaBroker,
  connections: ReadonlyMap<string, OwnProxies>,
  index: number,
): FaultyServer {
  return {
    kill: () => broker.kill(),
    stop: () => broker.stop(),
    start: () => broker.start(),
    pause: () => broker.pause(),
    resume: () => broker.resume(),
    cutOff() {
      const cuts = [...connections.values()].map(({ proxies }) => proxies[index]?.cut());
      return {
        [Symbol.dispose]() {
          for (const cut of cuts) cut?.[Symbol.dispose]();
        },
      };
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
  };
}
