import { join } from 'node:path';
import { type Access, accessProperties } from './access.ts';
import type { KafkaOptions } from './options.ts';
import type { Properties } from './properties.ts';

/** Where a broker listens, on 127.0.0.1. */
export interface BrokerPorts {
  /** For clients, and what they are told to connect to: another one where a proxy is before it. */
  readonly client: number;
  readonly advertised: number;
  /** For clients past the proxy, and for the other brokers. */
  readonly direct: number;
  readonly controller: number;
}

/** One broker, and those it works with. */
export interface BrokerPlace {
  readonly id: number;
  readonly folder: string;
  /** Of all brokers, this one included: the first has node id 1. */
  readonly ports: readonly BrokerPorts[];
}

/** Where a broker has its partitions. */
export function dataFolder(folder: string): string {
  return join(folder, 'data');
}

/**
 * The settings that all brokers of a cluster share. What is not stock: topics are not made by naming them; a group's first members are not waited for (stock:
 * 3 s); the internal topics have fewer partitions, and replicas as there are brokers.
 */
export function clusterSettings(brokers: number, config: NonNullable<KafkaOptions['config']>): Properties {
  return { 'auto.create.topics.enable': false, 'group.initial.rebalance.delay.ms': 0, ...internalTopics(brokers), ...config };
}

/**
 * The settings of a broker. Metadata has a folder of its own, so that a copy of the data put back is a disk that lost its newest writes, and
 * not a cluster that forgot its topics.
 */
export function serverProperties(place: BrokerPlace, access: Access, { config = {} }: Pick<KafkaOptions, 'config'>): Properties {
  const { id, ports } = place;
  const own = ports[id - 1];
  if (own === undefined) throw new Error(`there are ports for ${ports.length} brokers, and not for number ${id}`);
  return {
    ...clusterSettings(ports.length, config),
    'process.roles': 'broker,controller',
    'node.id': id,
    'controller.quorum.voters': ports.map(({ controller }, index) => `${index + 1}@127.0.0.1:${controller}`).join(','),
    listeners: `CLIENT://127.0.0.1:${own.client},DIRECT://127.0.0.1:${own.direct},CONTROLLER://127.0.0.1:${own.controller}`,
    'advertised.listeners': `CLIENT://127.0.0.1:${own.advertised},DIRECT://127.0.0.1:${own.direct}`,
    ...accessProperties(access),
    'inter.broker.listener.name': 'DIRECT',
    'controller.listener.names': 'CONTROLLER',
    'log.dirs': dataFolder(place.folder),
    'metadata.log.dir': join(place.folder, 'metadata'),
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
