// Starts a cluster of brokers on this host, for tests and benchmarks.
import { freePorts, type TcpProxy, tcpProxy } from '@leadership/testkit/faults';
import { assembled } from '../backends/assembled.ts';
import { makeCertificate } from '../backends/certificates.ts';
import { allStarted } from '../backends/local-server.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../backends/temporary-directory.ts';
import { type Access, clientOf, scramArguments } from './access.ts';
import { brokerLookup } from './broker-lookup.ts';
import type { KafkaCluster } from './cluster.ts';
import type { Distribution } from './distribution.ts';
import { releases } from './jars.ts';
import { type LocalBroker, localBroker } from './local-broker.ts';
import type { KafkaOptions } from './options.ts';
import type { BrokerPorts } from './server-properties.ts';
import { clusterId } from './storage.ts';

/** The number of attempts with other ports, if another process takes one first. */
const attempts = 3;

/** Starts brokers as child processes. */
export async function localCluster(
  options: KafkaOptions,
  distribution: Distribution,
): Promise<KafkaCluster> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await assembleCluster(options, distribution);
    } catch (error) {
      if (attempt === attempts || !String(error).includes('Address already in use')) throw error;
    }
  }
}

function assembleCluster(options: KafkaOptions, distribution: Distribution): Promise<KafkaCluster> {
  return assembled(async (keep) => {
    const directory = keep(await temporaryDirectory('leadership-kafka'));
    const access = await accessOf(options, directory);
    const endpoints = await openEndpoints(options);
    for (const { proxy } of endpoints) if (proxy) keep(proxy);
    const brokers = await startBrokers(options, { distribution, endpoints, access });
    for (const broker of brokers) keep(broker);
    return cluster(options, { brokers, endpoints, access });
  });
}

async function accessOf(
  { security = {} }: KafkaOptions,
  directory: TemporaryDirectory,
): Promise<Access> {
  if (security.acls && !security.sasl)
    throw new Error('`acls` require `sasl`: without a login all clients are the same user');
  return {
    security,
    certificate: security.tls
      ? await makeCertificate(directory.path, 'broker', '/CN=127.0.0.1', 'IP:127.0.0.1')
      : undefined,
  };
}

/** The ports of a broker, and its proxy. */
interface Endpoint {
  readonly ports: BrokerPorts;
  readonly proxy: TcpProxy | undefined;
}

async function openEndpoints({
  brokers,
  proxied = true,
}: KafkaOptions): Promise<readonly Endpoint[]> {
  const free = await freePorts(3 * brokers);
  return Promise.all(
    Array.from({ length: brokers }, async (_, index) => {
      const [client = 0, direct = 0, controller = 0] = free.slice(3 * index);
      const proxy = proxied ? await tcpProxy({ port: client }) : undefined;
      return { proxy, ports: { client, advertised: proxy?.port ?? client, direct, controller } };
    }),
  );
}

interface ClusterParts {
  readonly distribution: Distribution;
  readonly endpoints: readonly Endpoint[];
  readonly access: Access;
}

function startBrokers(
  options: KafkaOptions,
  { distribution, endpoints, access }: ClusterParts,
): Promise<readonly LocalBroker[]> {
  const ports = endpoints.map((endpoint) => endpoint.ports);
  const common = { distribution, access, options, ports, cluster: clusterId() };
  const seeds = scramArguments(access.security);
  return allStarted(
    (signal) =>
      endpoints.map(({ proxy }, index) =>
        localBroker({ ...common, id: index + 1, proxy, seeds, signal }),
      ),
    options.signal,
  );
}

interface Assembled {
  readonly brokers: readonly LocalBroker[];
  readonly endpoints: readonly Endpoint[];
  readonly access: Access;
}

function cluster(
  { version = '4.1', proxied = true }: KafkaOptions,
  { brokers, endpoints, access }: Assembled,
): Omit<KafkaCluster, keyof AsyncDisposable> {
  const bootstrap = endpoints.map(({ ports }) => `127.0.0.1:${ports.advertised}`);
  const direct = brokers.map((broker) => broker.direct);
  const { leaderOf, coordinatorOf } = brokerLookup(direct);
  return {
    name: `Apache Kafka ${releases[version]}, ${brokers.length === 1 ? '1 broker' : `${brokers.length} brokers`}`,
    can: { brokers: true, connections: proxied },
    bootstrap,
    direct,
    brokers,
    client: (user) => clientOf(access, bootstrap, user),
    broker(id) {
      const found = brokers.find((broker) => broker.id === id);
      if (!found) throw new Error(`unknown broker ${id}`);
      return found;
    },
    leaderOf,
    coordinatorOf,
  };
}
