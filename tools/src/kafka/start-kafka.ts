import type { KafkaCluster } from './cluster.ts';
import { givenCluster } from './given-cluster.ts';
import { localCluster } from './local-cluster.ts';
import type { KafkaOptions } from './options.ts';
import { findPlace } from './place.ts';

/**
 * A cluster that serves clients when this resolves: the one that `KAFKA_BROKERS` names, or else brokers started on this host.
 * Disposing ends what was started and removes its data; should this process die first, that is seen to as well. Rejects with
 * what is missing where there is none.
 */
export async function startKafka(options: KafkaOptions): Promise<KafkaCluster> {
  const place = await findPlace(options);
  switch (place.kind) {
    case 'environment':
      return givenCluster(place.addresses, place.ids.length);
    case 'here':
      return localCluster(options, place.distribution);
    case 'nowhere':
      throw new Error(`kafka cannot be started here: ${place.missing}`);
  }
}
