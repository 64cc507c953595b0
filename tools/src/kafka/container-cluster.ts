// Starts a Kafka broker in a container, for `npm run test:containers`.
import { startContainer } from '../backends/by-containers.ts';
import type { KafkaCluster } from './cluster.ts';
import type { KafkaOptions } from './options.ts';
import { clusterSettings } from './server-properties.ts';
import { untouchedCluster } from './untouched-cluster.ts';

/**
 * Returns the image: `KAFKA_IMAGE`, or Confluent's image of Apache Kafka 4.1, which the
 * testcontainers module supports.
 */
function image(): string {
  return process.env['KAFKA_IMAGE'] || 'confluentinc/cp-kafka:8.1.1';
}

/** Starts one broker in a container. It has no proxy, and no faults can be injected. */
export async function containerCluster({
  config = {},
  signal,
}: KafkaOptions): Promise<KafkaCluster> {
  const { KafkaContainer } = await import('@testcontainers/kafka');
  const container = await startContainer(
    new KafkaContainer(image()).withKraft().withEnvironment(variables(config)),
    signal,
  );
  return untouchedCluster({
    name: `${image()} in a container`,
    whose: 'in a container',
    addresses: [`${container.getHost()}:${container.getMappedPort(clientPort)}`],
    dispose: async () => void (await container.stop()),
  });
}

/** The port for clients inside the container. */
const clientPort = 9093;

/** Returns the environment variables from which the image reads broker settings. */
function variables(config: NonNullable<KafkaOptions['config']>): Record<string, string> {
  const nameOf = (setting: string): string => `KAFKA_${setting.toUpperCase().replaceAll('.', '_')}`;
  return Object.fromEntries(
    Object.entries(clusterSettings(1, config)).map(([setting, value]) => [
      nameOf(setting),
      String(value),
    ]),
  );
}
