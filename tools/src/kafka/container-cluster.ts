import { startContainer } from '../backends/by-containers.ts';
import type { KafkaCluster } from './cluster.ts';
import type { KafkaOptions } from './options.ts';
import { clusterSettings } from './server-properties.ts';
import { untouchedCluster } from './untouched-cluster.ts';

/** Apache Kafka 4.1 as Confluent publishes it: the image that the module of testcontainers is made for. `KAFKA_IMAGE` names another. */
function image(): string {
  return process.env['KAFKA_IMAGE'] || 'confluentinc/cp-kafka:8.1.1';
}

/** Starts one broker in a container. Clients reach it without a proxy, and nothing can be done to it. */
export async function containerCluster({ config = {}, signal }: KafkaOptions): Promise<KafkaCluster> {
  const { KafkaContainer } = await import('@testcontainers/kafka');
  const container = await startContainer(new KafkaContainer(image()).withKraft().withEnvironment(variables(config)), signal);
  return untouchedCluster({
    name: `${image()} in a container`,
    whose: 'in a container',
    addresses: [`${container.getHost()}:${container.getMappedPort(clientPort)}`],
    dispose: async () => void (await container.stop()),
  });
}

/** Where clients are served, inside the container. */
const clientPort = 9093;

/** The image takes settings from variables of the environment. */
function variables(config: NonNullable<KafkaOptions['config']>): Record<string, string> {
  const nameOf = (setting: string): string => `KAFKA_${setting.toUpperCase().replaceAll('.', '_')}`;
  return Object.fromEntries(Object.entries(clusterSettings(1, config)).map(([setting, value]) => [nameOf(setting), String(value)]));
}
