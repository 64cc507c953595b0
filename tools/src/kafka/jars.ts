// Which releases of Kafka the tests run, and the jars of each.
import type { Jars } from '../backends/maven-jars.ts';
import type { KafkaVersion } from './options.ts';

/** The release of each supported version. The complete test suite has run on these releases. */
export const releases: Readonly<Record<KafkaVersion, string>> = { '4.1': '4.1.1', '3.9': '3.9.1' };

/** The oldest Java that runs brokers of both versions. */
export const leastJava = 17;

/**
 * Returns the jars of a broker. slf4j-simple is included, because slf4j logs nothing without a
 * binding.
 */
export function kafkaJars(version: KafkaVersion): Jars {
  const release = releases[version];
  return {
    title: `Kafka ${release} (about 45 MB)`,
    name: `kafka-${release}`,
    artifacts: [`org.apache.kafka:kafka_2.13:${release}`, 'org.slf4j:slf4j-simple:1.7.36'],
  };
}
