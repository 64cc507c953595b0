/**
 * A real Apache Kafka for tests, benchmarks and the demo.
 *
 * @packageDocumentation
 */
export type {
  DataCopy,
  KafkaBroker,
  KafkaClient,
  KafkaCluster,
  KafkaFaults,
  KafkaLogin,
} from './cluster.ts';
export { createTopic } from './create-topic.ts';
export { hasKafka } from './has-kafka.ts';
export type { KafkaOptions, KafkaSecurity, KafkaVersion, SaslMechanism } from './options.ts';
export { startKafka } from './start-kafka.ts';
