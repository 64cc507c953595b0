import { isOffered } from '../backends/is-offered.ts';
import type { KafkaCluster } from './cluster.ts';
import type { KafkaOptions } from './options.ts';
import { selectCluster } from './select-cluster.ts';

/**
 * Resolves with whether {@link startKafka} supports these options here. If not, one line on stderr states
 * what is missing; if `REQUIRE_BACKENDS` contains `kafka`, the promise rejects instead. For
 * `describe.runIf`: it downloads the jars, so that the tests do not wait.
 */
export async function hasKafka(options: KafkaOptions): Promise<boolean> {
  const selected = await selectCluster(options);
  return isOffered('kafka', typeof selected === 'string' ? selected : undefined);
}

/**
 * Resolves with a cluster that serves clients: the one that `KAFKA_BROKERS` names, else one broker
 * in a container if `BACKENDS_BY=containers` is set, else local processes. Disposing ends brokers
 * that were started and removes their data; both also happen if this process ends first. Rejects
 * with the missing part if no cluster is available.
 */
export async function startKafka(options: KafkaOptions): Promise<KafkaCluster> {
  try {
    const selected = await selectCluster(options);
    if (typeof selected === 'string') throw new Error(`kafka cannot be started here: ${selected}`);
    return await selected();
  } catch (error) {
    // If the start was aborted, reject with the signal's reason instead of the error of the aborted
    // program.
    options.signal?.throwIfAborted();
    throw error;
  }
}
