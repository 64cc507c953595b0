import { dockerAnswers, haveImage } from '../backends/docker.ts';
import { missingJava } from '../backends/java.ts';
import { mavenJars } from '../backends/maven-jars.ts';
import { archived } from './class-archive.ts';
import { imageOf } from './container-cluster.ts';
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
  /** On this host, in a container. */
  | { readonly kind: 'container' }
  /** Nowhere, and what is missing. */
  | { readonly kind: 'nowhere'; readonly missing: string };

/** The first place that will do. Fetches what is needed there. */
export async function findPlace(options: KafkaOptions): Promise<Place> {
  const addresses = process.env['KAFKA_BROKERS'];
  // Whoever names a cluster means that one: where it will not do, none other is taken instead.
  if (addresses) return given(options, addresses.split(','));
  const place = await here(options);
  return place.kind === 'nowhere' && isPlain(options) ? contained(options, place.missing) : place;
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

/** Nothing is asked for that a container does not have: see `containerCluster`. */
function isPlain({ brokers, faults, security }: KafkaOptions): boolean {
  return brokers === 1 && !faults && !security;
}

async function contained({ version, signal }: KafkaOptions, missing: string): Promise<Place> {
  if (!(await dockerAnswers())) return { kind: 'nowhere', missing };
  try {
    await haveImage(imageOf(version), signal);
    return { kind: 'container' };
  } catch (error) {
    signal?.throwIfAborted();
    return { kind: 'nowhere', missing: `${missing}; nor can Docker fetch ${imageOf(version)} (${(error as Error).message})` };
  }
}
