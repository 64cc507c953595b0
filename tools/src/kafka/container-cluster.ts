import { freePorts } from '@leadership/testkit/faults';
import { type Container, startContainer } from '../backends/container.ts';
import type { KafkaCluster } from './cluster.ts';
import { releases } from './jars.ts';
import type { KafkaOptions, KafkaVersion } from './options.ts';
import type { Properties } from './properties.ts';
import { type BrokerPorts, serverProperties } from './server-properties.ts';
import { untouchedCluster } from './untouched-cluster.ts';
import { whereabouts } from './whereabouts.ts';

/** The image that Apache Kafka itself publishes. */
export function imageOf(version: KafkaVersion = '4.1'): string {
  return `apache/kafka:${releases[version]}`;
}

/** For a starved machine, and an image that takes longer than its broker. Milliseconds. */
const patienceMs = 90_000;

/** Starts one broker in a container. Clients reach it without a proxy, and nothing can be done to it. */
export async function containerCluster(options: KafkaOptions): Promise<KafkaCluster> {
  const { version, signal } = options;
  const [client = 0, direct = 0, controller = 0] = await freePorts(3);
  const ports = { client, advertised: client, direct, controller };
  const addresses = [`127.0.0.1:${client}`];
  const settings = [...published(ports), ...variables(ports, options)];
  const container = await startContainer('kafka', imageOf(version), settings, (started) => serving(started, addresses, signal));
  const dispose = (): Promise<void> => container[Symbol.asyncDispose]();
  return untouchedCluster({ name: `${imageOf(version)} in a container`, whose: 'in a container', addresses, dispose });
}

/** The listeners have the same ports outside as inside, so that what they say of themselves is right in both places. */
function published({ client, direct }: BrokerPorts): readonly string[] {
  return [client, direct].flatMap((port) => ['--publish', `127.0.0.1:${port}:${port}`]);
}

/** The image takes settings from variables of the environment, and makes the storage for itself. */
function variables(ports: BrokerPorts, options: KafkaOptions): readonly string[] {
  const properties: Properties = {
    ...serverProperties({ id: 1, folder: '/tmp/leadership', ports: [ports] }, { security: {}, certificate: undefined }, options),
    // What Docker publishes does not arrive at the loopback interface.
    listeners: `CLIENT://0.0.0.0:${ports.client},DIRECT://0.0.0.0:${ports.direct},CONTROLLER://127.0.0.1:${ports.controller}`,
  };
  const nameOf = (setting: string): string => `KAFKA_${setting.toUpperCase().replaceAll('.', '_')}`;
  return Object.entries(properties).flatMap(([setting, value]) => ['--env', `${nameOf(setting)}=${value}`]);
}

async function serving(container: Container, addresses: readonly string[], signal: AbortSignal | undefined): Promise<void> {
  try {
    await whereabouts(addresses, { patienceMs, signal }).brokers();
  } catch (error) {
    signal?.throwIfAborted();
    throw new Error(`the broker in a container does not serve; it said:\n${await container.logs()}`, {
      cause: error,
    });
  }
}
