import type { TcpProxy } from '@leadership/testkit/faults';
import {
  type KafkaBroker,
  type KafkaCluster,
  type KafkaVersion,
  startKafka,
} from '@leadership/tools/kafka';
import type {
  EnvironmentFault,
  MemberFault,
  SoakContext,
  SoakEnvironment,
} from '@leadership/tools/soak';
import { pauseMs } from './eventually.ts';
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
    memberFaults: memberFaultsOn(connections),
    environmentFaults: {
      ...environmentFaultsOnBrokers(kafka),
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

/** The faults of one member's connections: all of them, or only those to one broker. */
function memberFaultsOn(
  connections: ReadonlyMap<string, OwnProxies>,
): SoakEnvironment['memberFaults'] {
  const by =
    (befall: (proxy: TcpProxy, context: SoakContext) => void): MemberFault =>
    async (context, { name }) => {
      const { settings, rng } = context;
      const { proxies } = proxiesOf(connections, name);
      const hit = rng.pick([proxies, proxies, [rng.pick(proxies)]]);
      for (const proxy of hit) befall(proxy, context);
      await pauseMs(rng.between(0.2, 3) * settings.thresholdMs);
      for (const proxy of hit) proxy.mend();
    };
  return {
    'connections cut': by((proxy) => proxy.cut()),
    'connections half-open': by((proxy) => proxy.halfOpen()),
    'connections delayed by up to 2 T': by((proxy, { settings, rng }) =>
      proxy.delay(rng.between(0, 2) * settings.thresholdMs),
    ),
    'nothing heard': by((proxy) => proxy.cutOneWay('to-client')),
    'nothing gets out': by((proxy) => proxy.cutOneWay('to-server')),
  };
}

function environmentFaultsOnBrokers(kafka: KafkaCluster): SoakEnvironment['environmentFaults'] {
  const to =
    (befall: (broker: KafkaBroker, awayMs: number) => Promise<void>): EnvironmentFault =>
    ({ rng, settings }) =>
      befall(rng.pick(kafka.brokers), rng.between(0, 5) * settings.thresholdMs);
  return {
    'broker SIGKILL': to(async (broker, awayMs) => {
      await broker.kill();
      await pauseMs(awayMs);
      await broker.start();
    }),
    'broker SIGSTOP': to(async (broker, awayMs) => {
      broker.pause();
      await pauseMs(awayMs);
      broker.resume();
    }),
    'broker shut down in order': to(async (broker, awayMs) => {
      await broker.stop();
      await pauseMs(awayMs);
      await broker.start();
    }),
  };
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
  for (
    const until = performance.now() + operatorMs;
    performance.now() < until;
    await pauseMs(100)
  ) {
    const [result] = await administered(kafka, (admin) =>
      admin.deleteGroups([`leadership:${topic}:soak`]),
    ).catch(() => []);
    if (result !== undefined && !result.errorCode) return;
  }
}
