import { isOffered } from '../backends/is-offered.ts';
import type { KafkaOptions } from './options.ts';
import { findPlace } from './place.ts';

/**
 * Whether `startKafka` can start what is asked for. Where it cannot, one line on stderr says what is missing, and it throws instead
 * where `REQUIRE_BACKENDS` has `kafka`. For `describe.runIf`: what takes long (jars are fetched, once) is done before the tests.
 */
export async function hasKafka(options: KafkaOptions): Promise<boolean> {
  const place = await findPlace(options);
  return isOffered('kafka', place.kind === 'nowhere' ? place.missing : undefined);
}
