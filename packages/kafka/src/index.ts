// Rule numbers such as M3: docs/reference/rules.md.
/**
 * Leader election over Kafka: leases by session in a topic. Open a source with
 * {@link kafkaLeadership} or with `openLeadership('kafka://HOST,HOST/GROUP?topic=TOPIC')`.
 *
 * @packageDocumentation
 */

export { backend, kafkaLeadership } from './kafka-leadership.ts';
export type { KafkaJsClient } from './kafkajs/client.ts';
export type { KafkaOptions } from './options.ts';
export type { ClientChoice } from './platformatic/client-choice.ts';
export type { Credential, PlatformaticLogin, PlatformaticOptions } from './platformatic/options.ts';
export { platformatic } from './platformatic/platformatic.ts';
export type { KafkaUrlOptions } from './url-options.ts';
