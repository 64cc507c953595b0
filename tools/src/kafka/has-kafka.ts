import { isOffered } from '../backends/is-offered.ts';
import type { KafkaOptions } from './options.ts';
import { findPlace } from './place.ts';

/**
 * Resolves with whether `startKafka` supports these options here. If not, one line on stderr states what is missing; if
 * `REQUIRE_BACKENDS` contains `kafka`, the promise rejects instead. For `describe.runIf`: it downloads the jars, so that the
 * tests do not wait.
 */
export async function hasKafka(options: KafkaOptions): Promise<boolean> {
  const place = await findPlace(options);
  return isOffered('kafka', place.kind === 'nowhere' ? place.missing : undefined);
}
