import { byContainers, missingEngine } from '../backends/by-containers.ts';
import { missingJava } from '../backends/java.ts';
import { mavenJars } from '../backends/maven-jars.ts';
import { archived } from './class-archive.ts';
import type { Distribution } from './distribution.ts';
import { kafkaJars, leastJava } from './jars.ts';
import type { KafkaOptions } from './options.ts';
import { whereabouts } from './whereabouts.ts';

/** Where a cluster can be had. */
export type Place =
  /** One that somebody else runs: `KAFKA_BROKERS` of the environment. */
  | { readonly kind: 'environment'; readonly addresses: readonly string[] }
  /** On this host. */
  | { readonly kind: 'here'; readonly distribution: Distribution }
  /** In a container: `BACKENDS_BY=containers` of the environment. */
  | { readonly kind: 'container' }
  /** Nowhere, and what is missing. */
  | { readonly kind: 'nowhere'; readonly missing: string };

/** The first place that will do. Fetches what is needed there. */
export async function findPlace(options: KafkaOptions): Promise<Place> {
  const addresses = process.env['KAFKA_BROKERS'];
  // Whoever names a cluster means that one: where it will not do, none other is taken instead.
  if (addresses) return given(options, addresses.split(','));
  return byContainers() ? contained(options) : here(options);
}

async function given(options: KafkaOptions, addresses: readonly string[]): Promise<Place> {
  const wanted = (['faults', 'version', 'security', 'config'] as const).find((name) => options[name]);
  if (wanted) return { kind: 'nowhere', missing: `the brokers of KAFKA_BROKERS are not ours, and take no \`${wanted}\`` };
  const { length } = await whereabouts(addresses).brokers();
  if (length >= options.brokers) return { kind: 'environment', addresses };
  return { kind: 'nowhere', missing: `KAFKA_BROKERS has ${length} of the ${options.brokers} brokers that are needed` };
}

async function here(options: KafkaOptions): Promise<Place> {
  const { version = '4.1', signal } = options;
  const missing = await missingJava(leastJava);
  if (missing !== undefined) return { kind: 'nowhere', missing };
  try {
    const folder = await mavenJars(kafkaJars(version), signal);
    return { kind: 'here', distribution: await archived(folder, options) };
  } catch (error) {
    signal?.throwIfAborted();
    return { kind: 'nowhere', missing: (error as Error).message };
  }
}

/** One broker, to which nothing can be done: see `containerCluster`. */
async function contained({ brokers, version = '4.1', faults, security }: KafkaOptions): Promise<Place> {
  const excess = { faults, security, [`brokers: ${brokers}`]: brokers > 1, [`version: ${version}`]: version !== '4.1' };
  const wanted = Object.entries(excess).find(([, isWanted]) => isWanted);
  if (wanted) return { kind: 'nowhere', missing: `BACKENDS_BY=containers starts one broker of 4.1, and takes no \`${wanted[0]}\`` };
  const missing = await missingEngine();
  return missing === undefined ? { kind: 'container' } : { kind: 'nowhere', missing };
}
