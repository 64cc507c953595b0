// Applies all patches of KafkaJS to the cluster of one client, and to its connections.
import { LeadershipError } from '@leadership/core';
import { type Cluster, type Kafka, type PartitionAssigner, PartitionAssigners } from 'kafkajs';
import { isNamed } from '../errors.ts';
import { patchConnection } from './connection.ts';
import { patchConnectionLogger } from './connection-logger.ts';
import { patchConnectionPool } from './connection-pool.ts';
import { patchMetadataResponse } from './metadata-response.ts';
import { patchRequestQueue } from './request-queue.ts';
import { visitConnections } from './visit-connections.ts';

/** A patch, and what happens without it. */
type Patch = readonly [patch: (target: unknown) => boolean, otherwise: string];

/** The patches of the two connections to one broker together. */
const pairPatches: readonly Patch[] = [
  [patchConnectionPool, 'a record may be sent to a broker after its time'],
];
/** The patches of each connection. */
const patches: readonly Patch[] = [
  [patchConnection, 'a connection that is cut may end the process with a RangeError'],
  [patchRequestQueue, 'idle connections take several times the CPU time'],
  [
    patchMetadataResponse,
    'a partition without a leader, of any topic, keeps members from starting',
  ],
  [patchConnectionLogger, 'answers that are expected are logged as errors'],
];

/** Called with the consequence if a private member of KafkaJS is not where a patch needs it. */
export type Unpatched = (otherwise: string) => void;

/**
 * Applies the patches of KafkaJS 2.2 to a cluster that only the adapter uses. Call it before the
 * cluster connects.
 */
export function patchCluster(cluster: Cluster, unpatched: Unpatched): void {
  const apply = (to: readonly Patch[], target: unknown): void => {
    for (const [patch, otherwise] of to) if (!patch(target)) unpatched(otherwise);
  };
  visitConnections(cluster, {
    pair: (pair) => apply(pairPatches, pair),
    connection: (connection) => apply(patches, connection),
    none() {
      for (const [, otherwise] of [...pairPatches, ...patches]) unpatched(otherwise);
    },
  });
}

/**
 * Returns a cluster of a client. The only typed access to one is through a consumer, which is never
 * started and joins no group.
 */
export function clusterOf(kafka: Kafka, unpatched: Unpatched): Cluster {
  const found: Cluster[] = [];
  const capture: PartitionAssigner = (parts) => {
    found.push(parts.cluster);
    return PartitionAssigners.roundRobin(parts);
  };
  kafka.consumer({
    groupId: 'unused',
    partitionAssigners: [capture],
    allowAutoTopicCreation: false,
  });
  const [cluster] = found;
  if (cluster === undefined)
    throw new LeadershipError(
      'misconfigured-backend',
      'this release of KafkaJS does not pass its cluster to assigners: install kafkajs@2.2.4',
    );
  patchCluster(cluster, unpatched);
  return cluster;
}

/**
 * Connects a cluster to the first broker that answers. Each attempt goes to the next broker in the
 * configuration.
 */
export async function connectCluster(
  cluster: Cluster,
  { seeds }: { readonly seeds: number },
): Promise<void> {
  for (let left = seeds; ; left -= 1) {
    try {
      return await cluster.connect();
    } catch (error) {
      if (
        left <= 1 ||
        !isNamed(
          error,
          'KafkaJSConnectionError',
          'KafkaJSConnectionClosedError',
          'KafkaJSRequestTimeoutError',
        )
      )
        throw error;
    }
  }
}
