// The settings with which the brokers of tests run.
import { join } from 'node:path';
import { type Access, accessProperties } from './access.ts';
import type { KafkaOptions } from './options.ts';
import type { Properties } from './properties.ts';

/** The ports of a broker on 127.0.0.1. */
export interface BrokerPorts {
  /** The port of the listener for clients. */
  readonly client: number;
  /**
   * The port that the broker advertises to clients: that of its proxy, or `client` without a proxy.
   */
  readonly advertised: number;
  /** The port for other brokers, and for clients that bypass the proxy. */
  readonly direct: number;
  readonly controller: number;
}

/** A broker and its position in the cluster. */
export interface BrokerPosition {
  readonly id: number;
  readonly folder: string;
  /** The ports of all brokers, including this one. The first one has node id 1. */
  readonly ports: readonly BrokerPorts[];
}

/** Returns the directory of a broker's partitions. */
function dataFolder(folder: string): string {
  return join(folder, 'data');
}

/** Returns the directories that are formatted before a broker starts: of partitions, and of metadata. */
export function brokerFolders(folder: string): readonly [data: string, metadata: string] {
  return [dataFolder(folder), join(folder, 'metadata')];
}

/**
 * Returns the settings that all brokers of a cluster share. They differ from Kafka's defaults:
 * topics are not created automatically, the first rebalance of a group is not delayed (default: 3
 * s), and the internal topics have fewer partitions, and one replica per broker.
 */
export function clusterSettings(
  brokers: number,
  config: NonNullable<KafkaOptions['config']>,
): Properties {
  return {
    'auto.create.topics.enable': false,
    'group.initial.rebalance.delay.ms': 0,
    ...internalTopics(brokers),
    ...config,
  };
}

/**
 * Returns the settings of a broker. The metadata has a separate directory, so that restoring a copy
 * of the data loses only the newest records, and no topics.
 */
export function serverProperties(
  position: BrokerPosition,
  access: Access,
  { config = {} }: Pick<KafkaOptions, 'config'>,
): Properties {
  const { id, ports } = position;
  const own = ports[id - 1];
  if (own === undefined)
    throw new Error(`broker ${id} has no ports: there are ports for ${ports.length} brokers`);
  const [data, metadata] = brokerFolders(position.folder);
  return {
    ...clusterSettings(ports.length, config),
    'process.roles': 'broker,controller',
    'node.id': id,
    'controller.quorum.voters': ports
      .map(({ controller }, index) => `${index + 1}@127.0.0.1:${controller}`)
      .join(','),
    listeners: `CLIENT://127.0.0.1:${own.client},DIRECT://127.0.0.1:${own.direct},CONTROLLER://127.0.0.1:${own.controller}`,
    'advertised.listeners': `CLIENT://127.0.0.1:${own.advertised},DIRECT://127.0.0.1:${own.direct}`,
    ...accessProperties(access),
    'inter.broker.listener.name': 'DIRECT',
    'controller.listener.names': 'CONTROLLER',
    'log.dirs': data,
    'metadata.log.dir': metadata,
  };
}

function internalTopics(brokers: number): Properties {
  return {
    'offsets.topic.num.partitions': 3,
    'offsets.topic.replication.factor': brokers,
    'transaction.state.log.num.partitions': 3,
    'transaction.state.log.replication.factor': brokers,
    'transaction.state.log.min.isr': Math.min(2, brokers),
  };
}
