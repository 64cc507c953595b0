import type { Cluster } from 'kafkajs';
import { calmQueue } from './calm-queue.ts';
import { connectionsOf } from './connections-of.ts';
import { mendConnection } from './mended-connection.ts';

/** Mends what is amiss with KafkaJS 2.2 on the connections of a cluster that is ours alone. To be called before it connects. */
export function mendCluster(cluster: Cluster): void {
  connectionsOf(cluster, (connection) => {
    mendConnection(connection);
    calmQueue(connection);
  });
}
