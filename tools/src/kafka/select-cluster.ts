// Decides where a test's Kafka comes from: named by the environment, a container, or local
// processes.
import { byContainers, missingEngine } from '../backends/by-containers.ts';
import { missingJava } from '../backends/java.ts';
import { mavenJars } from '../backends/maven-jars.ts';
import { brokerLookup } from './broker-lookup.ts';
import { archived } from './class-archive.ts';
import type { KafkaCluster } from './cluster.ts';
import { containerCluster } from './container-cluster.ts';
import { kafkaJars, leastJava } from './jars.ts';
import { localCluster } from './local-cluster.ts';
import type { KafkaOptions } from './options.ts';
import { untouchedCluster } from './untouched-cluster.ts';

/** A function that opens a cluster, or the parts that are missing for it. */
export type SelectedCluster = (() => Promise<KafkaCluster>) | string;

/** Selects how to provide a cluster with these options. Downloads missing jars. */
export async function selectCluster(options: KafkaOptions): Promise<SelectedCluster> {
  const addresses = process.env['KAFKA_BROKERS'];
  // If a given cluster does not support the options, do not substitute another one: the user wants
  // this cluster.
  if (addresses) return given(options, addresses.split(','));
  return byContainers() ? contained(options) : local(options);
}

async function given(
  options: KafkaOptions,
  addresses: readonly string[],
): Promise<SelectedCluster> {
  const wanted = (['faults', 'version', 'security', 'config'] as const).find(
    (name) => options[name],
  );
  if (wanted)
    return `the cluster of KAFKA_BROKERS was not started here, so it does not support the option \`${wanted}\``;
  const { length } = await brokerLookup(addresses).brokers();
  if (length < options.brokers)
    return `the cluster of KAFKA_BROKERS has ${length} of the ${options.brokers} required brokers`;
  return async () =>
    untouchedCluster({
      name: `the brokers at ${addresses.join()}`,
      whose: 'not started here',
      addresses,
      dispose: () => Promise.resolve(),
    });
}

async function local(options: KafkaOptions): Promise<SelectedCluster> {
  const { version = '4.1', signal } = options;
  const missing = await missingJava(leastJava);
  if (missing !== undefined) return missing;
  try {
    const folder = await mavenJars(kafkaJars(version), signal);
    const distribution = await archived(folder, options);
    return () => localCluster(options, distribution);
  } catch (error) {
    signal?.throwIfAborted();
    return (error as Error).message;
  }
}

/** Selects a container, which supports only one broker and no faults; see `containerCluster`. */
async function contained(options: KafkaOptions): Promise<SelectedCluster> {
  const { brokers, version = '4.1', faults, security } = options;
  const excess = {
    faults,
    security,
    [`brokers: ${brokers}`]: brokers > 1,
    [`version: ${version}`]: version !== '4.1',
  };
  const wanted = Object.entries(excess).find(([, isWanted]) => isWanted);
  if (wanted)
    return `BACKENDS_BY=containers starts one broker of 4.1 and does not support \`${wanted[0]}\``;
  return (await missingEngine()) ?? (() => containerCluster(options));
}
