import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TcpProxy, tcpProxy } from '@leadership/testkit/faults';
import { freePorts } from '../backends/free-ports.ts';
import { type KeptFolder, keptFolder } from '../backends/kept-folder.ts';
import type { KafkaCluster } from './cluster.ts';
import { releases } from './jars.ts';
import { type LocalBroker, localBroker } from './local-broker.ts';
import type { KafkaOptions } from './options.ts';
import { type BrokerPorts, formatProperties, serverProperties } from './server-properties.ts';
import { clusterId, formatStorage } from './storage.ts';

/** How often other ports are tried where somebody takes one before the broker does. */
const attempts = 3;

/** Starts brokers as processes of this host, with the jars in `libraries`. */
export async function localCluster(options: KafkaOptions, libraries: string): Promise<KafkaCluster> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await assemble(options, libraries);
    } catch (error) {
      if (attempt === attempts || !String(error).includes('Address already in use')) throw error;
    }
  }
}

async function assemble(options: KafkaOptions, libraries: string): Promise<KafkaCluster> {
  const kept = await keptFolder('leadership-kafka');
  const ways: Way[] = [];
  const brokers: LocalBroker[] = [];
  const dispose = async (): Promise<void> => {
    await Promise.all(brokers.map((broker) => broker.kill()));
    await Promise.all(ways.map(({ proxy }) => proxy?.[Symbol.asyncDispose]()));
    await kept[Symbol.asyncDispose]();
  };
  try {
    ways.push(...(await openWays(options)));
    brokers.push(...(await prepare(options, { libraries, kept, ways })));
    await Promise.all(brokers.map((broker) => broker.start(options.signal)));
  } catch (error) {
    await dispose();
    throw error;
  }
  return cluster(options, { brokers, ways, dispose });
}

/** How a broker is reached. */
interface Way {
  readonly ports: BrokerPorts;
  readonly proxy: TcpProxy | undefined;
}

async function openWays({ brokers, proxied = true }: KafkaOptions): Promise<readonly Way[]> {
  const free = await freePorts(3 * brokers);
  return Promise.all(
    Array.from({ length: brokers }, async (_, index) => {
      const [client = 0, direct = 0, controller = 0] = free.slice(3 * index);
      const proxy = proxied ? await tcpProxy({ port: client }) : undefined;
      return { proxy, ports: { client, advertised: proxy?.port ?? client, direct, controller } };
    }),
  );
}

interface Ground {
  readonly libraries: string;
  readonly kept: KeptFolder;
  readonly ways: readonly Way[];
}

async function prepare(options: KafkaOptions, { libraries, kept, ways }: Ground): Promise<readonly LocalBroker[]> {
  const cluster = clusterId();
  return Promise.all(
    ways.map(async ({ ports, proxy }, index) => {
      const id = index + 1;
      const folder = join(kept.path, `broker-${id}`);
      const settings = join(folder, 'server.properties');
      await mkdir(folder);
      await writeFile(settings, formatProperties(serverProperties({ id, folder, ports: ways.map((way) => way.ports) }, options)));
      await formatStorage(libraries, settings, cluster, options.signal);
      return localBroker({ id, libraries, settings, kept, proxy, direct: `127.0.0.1:${ports.direct}` });
    }),
  );
}

interface Assembled {
  readonly brokers: readonly LocalBroker[];
  readonly ways: readonly Way[];
  dispose(): Promise<void>;
}

function cluster({ version = '4.1', proxied = true }: KafkaOptions, { brokers, ways, dispose }: Assembled): KafkaCluster {
  const bootstrap = ways.map(({ ports }) => `127.0.0.1:${ports.advertised}`);
  return {
    name: `Apache Kafka ${releases[version]}, ${brokers.length === 1 ? '1 broker' : `${brokers.length} brokers`}`,
    can: { brokers: true, connections: proxied },
    bootstrap,
    direct: brokers.map(({ direct }) => direct),
    brokers,
    client: () => ({ brokers: [...bootstrap] }),
    broker(id) {
      const found = brokers.find((broker) => broker.id === id);
      if (!found) throw new Error(`there is no broker ${id}`);
      return found;
    },
    [Symbol.asyncDispose]: dispose,
  };
}
