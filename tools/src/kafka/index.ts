/**
 * A real Apache Kafka for tests, benchmarks and the demo.
 *
 * @packageDocumentation
 */
export type {
  KafkaBroker,
  KafkaClient,
  KafkaCluster,
  KafkaFaults,
  KafkaLogin,
} from './cluster.ts';
export { createTopic } from './create-topic.ts';
export type { KafkaOptions, KafkaSecurity, KafkaVersion, SaslMechanism } from './options.ts';
export { hasKafka, startKafka } from './start-kafka.ts';
