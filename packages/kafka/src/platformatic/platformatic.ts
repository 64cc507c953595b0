// The public part of the second client. Its declarations must not import those of
// @platformatic/kafka, which is an optional peer.
import type { ClientChoice } from './client-choice.ts';
import { checkOptions, type PlatformaticOptions } from './options.ts';
import { platformaticWith } from './platformatic-client.ts';

/**
 * Uses `@platformatic/kafka` in place of KafkaJS, as in
 * `kafkaLeadership({ client: platformatic(), kafka: { brokers }, … })`. The package is an optional
 * peer: it is loaded when a member starts.
 * @throws LeadershipError `invalid-options`
 */
export function platformatic(options: PlatformaticOptions = {}): ClientChoice {
  checkOptions(options);
  return platformaticWith(options);
}
