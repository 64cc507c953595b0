import type { KafkaCluster } from './cluster.ts';
import { containerCluster } from './container-cluster.ts';
import { localCluster } from './local-cluster.ts';
import type { KafkaOptions } from './options.ts';
import { findPlace } from './place.ts';
import { untouchedCluster } from './untouched-cluster.ts';

/**
 * A cluster that serves clients when this resolves: the one that `KAFKA_BROKERS` names, or else one broker in a container where
 * `BACKENDS_BY=containers` asks for it, or else brokers started as processes of this host. Disposing ends what was started and
 * removes its data; should this process die first, that is seen to as well. Rejects with what is missing where there is none.
 */
export async function startKafka(options: KafkaOptions): Promise<KafkaCluster> {
  try {
    return await started(options);
  } catch (error) {
    // Programs that are called off say so in words of their own.
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
  return untouchedCluster({ name, whose: "somebody else's", addresses, dispose: () => Promise.resolve() });
}
