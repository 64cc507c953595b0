// Starts a cluster of brokers on this host, for tests and benchmarks.
import { freePorts, type TcpProxy, tcpProxy } from '@leadership/testkit/faults';
import { allStarted } from '../backends/local-server.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../backends/temporary-directory.ts';
import { type Access, clientOf, scramArguments } from './access.ts';
import { brokerLookup } from './broker-lookup.ts';
import { makeCertificate } from './certificate.ts';
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

async function assembleCluster(
  options: KafkaOptions,
  distribution: Distribution,
): Promise<KafkaCluster> {
  const directory = await temporaryDirectory('leadership-kafka');
  const endpoints: Endpoint[] = [];
  const brokers: LocalBroker[] = [];
  const dispose = async (): Promise<void> => {
    const proxies = endpoints.flatMap(({ proxy }) => (proxy ? [proxy] : []));
    await Promise.all([...brokers, ...proxies].map((one) => one[Symbol.asyncDispose]()));
    await directory[Symbol.asyncDispose]();
  };
  try {
    const access = await accessOf(options, directory);
    endpoints.push(...(await openEndpoints(options)));
    brokers.push(...(await startBrokers(options, { distribution, endpoints, access })));
    return cluster(options, { brokers, endpoints, access, dispose });
  } catch (error) {
    await dispose();
    throw error;
  }
}

async function accessOf(
  { security = {}, signal }: KafkaOptions,
  directory: TemporaryDirectory,
): Promise<Access> {
  if (security.acls && !security.sasl)
    throw new Error('`acls` require `sasl`: without a login all clients are the same user');
  return {
    security,
    certificate: security.tls ? await makeCertificate(directory.path, signal) : undefined,
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
  dispose(): Promise<void>;
}

function cluster(
  { version = '4.1', proxied = true }: KafkaOptions,
  { brokers, endpoints, access, dispose }: Assembled,
): KafkaCluster {
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
    [Symbol.asyncDispose]: dispose,
  };
}
