import { isOffered } from '../backends/is-offered.ts';
import type { KafkaOptions } from './options.ts';
import { selectCluster } from './select-cluster.ts';

/**
 * Resolves with whether `startKafka` supports these options here. If not, one line on stderr states
 * what is missing; if `REQUIRE_BACKENDS` contains `kafka`, the promise rejects instead. For
 * `describe.runIf`: it downloads the jars, so that the tests do not wait.
 */
export async function hasKafka(options: KafkaOptions): Promise<boolean> {
  const selected = await selectCluster(options);
  return isOffered('kafka', selected.kind === 'unavailable' ? selected.missing : undefined);
}
