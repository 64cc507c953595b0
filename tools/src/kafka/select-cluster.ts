// Decides where a test's Kafka comes from: named by the environment, a container, or local
// processes.
import { byContainers, missingEngine } from '../backends/by-containers.ts';
import { missingJava } from '../backends/java.ts';
import { mavenJars } from '../backends/maven-jars.ts';
import { brokerLookup } from './broker-lookup.ts';
import { archived } from './class-archive.ts';
import type { Distribution } from './distribution.ts';
import { kafkaJars, leastJava } from './jars.ts';
import type { KafkaOptions } from './options.ts';

/** How a cluster is provided. */
export type SelectedCluster =
  /** An existing cluster, which the environment variable `KAFKA_BROKERS` names. */
  | { readonly kind: 'given'; readonly addresses: readonly string[] }
  /** Local processes. */
  | { readonly kind: 'local'; readonly distribution: Distribution }
  /** A container, which the environment variable `BACKENDS_BY=containers` requests. */
  | { readonly kind: 'container' }
  /** No cluster, because something is missing. */
  | { readonly kind: 'unavailable'; readonly missing: string };

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
    return {
      kind: 'unavailable',
      missing: `the cluster of KAFKA_BROKERS was not started here, so it does not support the option \`${wanted}\``,
    };
  const { length } = await brokerLookup(addresses).brokers();
  if (length >= options.brokers) return { kind: 'given', addresses };
  return {
    kind: 'unavailable',
    missing: `the cluster of KAFKA_BROKERS has ${length} of the ${options.brokers} required brokers`,
  };
}

async function local(options: KafkaOptions): Promise<SelectedCluster> {
  const { version = '4.1', signal } = options;
  const missing = await missingJava(leastJava);
  if (missing !== undefined) return { kind: 'unavailable', missing };
  try {
    const folder = await mavenJars(kafkaJars(version), signal);
    return { kind: 'local', distribution: await archived(folder, options) };
  } catch (error) {
    signal?.throwIfAborted();
    return { kind: 'unavailable', missing: (error as Error).message };
  }
}

/** Selects a container, which supports only one broker and no faults; see `containerCluster`. */
async function contained({
  brokers,
  version = '4.1',
  faults,
  security,
}: KafkaOptions): Promise<SelectedCluster> {
  const excess = {
    faults,
    security,
    [`brokers: ${brokers}`]: brokers > 1,
    [`version: ${version}`]: version !== '4.1',
  };
  const wanted = Object.entries(excess).find(([, isWanted]) => isWanted);
  if (wanted)
    return {
      kind: 'unavailable',
      missing: `BACKENDS_BY=containers starts one broker of 4.1 and does not support \`${wanted[0]}\``,
    };
  const missing = await missingEngine();
  return missing === undefined ? { kind: 'container' } : { kind: 'unavailable', missing };
}
