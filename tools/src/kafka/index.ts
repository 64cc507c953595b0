/**
 * A real Apache Kafka for tests, bench and demo.
 *
 * @packageDocumentation
 */
export type { KafkaBroker, KafkaClient, KafkaCluster, KafkaFaults } from './cluster.ts';
export type { KafkaOptions, KafkaVersion } from './options.ts';
export { startKafka } from './start-kafka.ts';
