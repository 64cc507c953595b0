/**
 * Leader election over Kafka: a topic is the ledger, a consumer group says who should lead. {@link kafkaLeadership} opens a source
 * on it, and so does `openLeadership('kafka://HOST,HOST/GROUP?topic=TOPIC')`.
 *
 * @packageDocumentation
 */
export type { KafkaOption } from './client.ts';
export { backend, kafkaLeadership } from './kafka-leadership.ts';
export type { KafkaOptions } from './options.ts';
export type { TopicCheck } from './topic.ts';
export type { KafkaUrlOptions } from './url-options.ts';
