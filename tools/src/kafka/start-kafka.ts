import type { KafkaCluster } from './cluster.ts';
import { containerCluster } from './container-cluster.ts';
import { localCluster } from './local-cluster.ts';
import type { KafkaOptions } from './options.ts';
import { findPlace } from './place.ts';
import { untouchedCluster } from './untouched-cluster.ts';

/**
 * Resolves with a cluster that serves clients: the one that `KAFKA_BROKERS` names, else one broker in a container if
 * `BACKENDS_BY=containers` is set, else local processes. Disposing ends brokers that were started and removes their data; both
 * also happen if this process ends first. Rejects with the missing part if no cluster is available.
 */
export async function startKafka(options: KafkaOptions): Promise<KafkaCluster> {
  try {
    return await started(options);
  } catch (error) {
    // If the start was aborted, reject with the signal's reason instead of the error of the aborted program.
    options.signal?.throwIfAborted();
    throw error;
  }
}

async function started(options: KafkaOptions): Promise<KafkaCluster> {
  const place = await findPlace(options);
  switch (place.kind) {
    case 'environment':
      return givenCluster(place.addresses);
    case 'here':
      return localCluster(options, place.distribution);
    case 'container':
      return containerCluster(options);
    case 'nowhere':
      throw new Error(`kafka cannot be started here: ${place.missing}`);
  }
}

function givenCluster(addresses: readonly string[]): KafkaCluster {
  const name = `the brokers at ${addresses.join()}`;
  return untouchedCluster({ name, whose: 'not started here', addresses, dispose: () => Promise.resolve() });
}
