import { missingJava } from '../backends/java.ts';
import { mavenJars } from '../backends/maven-jars.ts';
import type { KafkaCluster } from './cluster.ts';
import { kafkaJars, leastJava } from './jars.ts';
import { localCluster } from './local-cluster.ts';
import type { KafkaOptions } from './options.ts';

/**
 * Starts a cluster that serves clients when this resolves. Disposing ends it and removes its data; should this process die first,
 * that is seen to as well. Rejects with what to install where none can be started here.
 */
export async function startKafka(options: KafkaOptions): Promise<KafkaCluster> {
  const missing = await missingJava(leastJava);
  if (missing !== undefined) throw new Error(`Kafka cannot be started: ${missing}`);
  return localCluster(options, await mavenJars(kafkaJars(options.version ?? '4.1'), options.signal));
}
