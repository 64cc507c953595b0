// Starts one broker on this host, behind a proxy that can inject faults.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TcpProxy } from '@leadership/testkit/faults';
import { type LocalServer, localServer, type ServerPlace } from '../backends/local-server.ts';
import type { Access } from './access.ts';
import type { KafkaBroker } from './cluster.ts';
import { command, type Distribution } from './distribution.ts';
import type { KafkaOptions } from './options.ts';
import { formatProperties } from './properties.ts';
import { type BrokerPorts, serverProperties } from './server-properties.ts';
import { formatStorage } from './storage.ts';

/** A broker of a new cluster. */
export interface BrokerParts {
  readonly id: number;
  readonly distribution: Distribution;
  readonly access: Access;
  readonly options: Pick<KafkaOptions, 'config'>;
  /** The ports of all brokers. The first one has node id 1. */
  readonly ports: readonly BrokerPorts[];
  readonly proxy: TcpProxy | undefined;
  readonly cluster: string;
  /** The arguments that add initial records to the metadata of the cluster. */
  readonly seeds: readonly string[];
  readonly signal: AbortSignal;
}

/** A broker in a child process. */
export type LocalBroker = KafkaBroker & LocalServer;

/** Enables the log message that the broker has started. */
const announcing = '-Dorg.slf4j.simpleLogger.log.kafka.server.KafkaRaftServer=info';

/**
 * Timeout for the start, in milliseconds. An idle machine needs two seconds, and nine more after a
 * crash; a starved one much longer.
 */
const timeoutMs = 90_000;

/** Starts a broker. Resolves once it serves clients, which needs a majority of the brokers. */
export async function localBroker(parts: BrokerParts): Promise<LocalBroker> {
  const { id, distribution, ports, proxy, cluster, seeds, signal } = parts;
  const { client = 0, direct = 0, controller = 0 } = ports[id - 1] ?? {};
  const settingsIn = ({ directory }: ServerPlace): string => join(directory, 'server.properties');
  const announced = { ...distribution, flags: [...distribution.flags, announcing] };
  const server = await localServer({
    name: `broker ${id}`,
    ports: [client, direct, controller],
    async data(place) {
      const position = { id, folder: place.directory, ports };
      const properties = serverProperties(position, parts.access, parts.options);
      const settings = settingsIn(place);
      await writeFile(settings, formatProperties(properties));
      await formatStorage({ distribution, broker: position, settings, cluster, seeds }, signal);
    },
    command: (place) => command(announced, 'kafka.Kafka', settingsIn(place)),
    // The last log message of a start.
    ready: /Kafka Server started$/,
    timeoutMs,
    signal,
  });
  return Object.assign(server, {
    id,
    proxy,
    direct: `127.0.0.1:${direct}`,
  });
}
