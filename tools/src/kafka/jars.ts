import type { Jars } from '../backends/maven-jars.ts';
import type { KafkaVersion } from './options.ts';

/** The newest of each line when this was written, and the ones the whole suite ran on. */
export const releases: Readonly<Record<KafkaVersion, string>> = { '4.1': '4.1.1', '3.9': '3.9.1' };

/** The oldest Java that runs brokers of both lines. */
export const leastJava = 17;

/** A broker of that line. It logs through slf4j, which says nothing without a binding; this one is the smallest. */
export function kafkaJars(version: KafkaVersion): Jars {
  const release = releases[version];
  return {
    title: `Kafka ${release} (some 45 MB)`,
    name: `kafka-${release}`,
    artifacts: [`org.apache.kafka:kafka_2.13:${release}`, 'org.slf4j:slf4j-simple:1.7.36'],
  };
}
