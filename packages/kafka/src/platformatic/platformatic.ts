import { type BrokerAddresses, seedsOf } from '../connection/seeds.ts';
import type { KafkaClient } from '../kafka-client.ts';
import { Brokers } from './brokers.ts';
import type { ConnectionSettings } from './connection.ts';
import { runGroupSession } from './group.ts';
import { type Library, libraryOf } from './library.ts';
import { platformaticLog } from './log.ts';
import { checkOptions, type PlatformaticOptions } from './options.ts';

/** A client library that replaces KafkaJS, created by {@link platformatic}. */
export interface ClientChoice {
  /** The package. */
  readonly name: string;
}

/** A choice as the adapter uses it. */
export interface UsableClient extends ClientChoice {
  readonly clientOf: (brokers: BrokerAddresses) => KafkaClient;
}

/**
 * Uses `@platformatic/kafka` in place of KafkaJS, as in `kafkaLeadership({ client: platformatic(), kafka: { brokers }, … })`. The package is
 * an optional peer: it is loaded when a member starts.
 * @throws LeadershipError `invalid-options`
 */
export function platformatic(options: PlatformaticOptions = {}): ClientChoice {
  checkOptions(options);
  return platformaticWith(options);
}

/** The same, for tests that replace the connections or the loaded library. */
export function platformaticWith(settings: ConnectionSettings, library?: () => Promise<Library>): UsableClient {
  return { name: '@platformatic/kafka', clientOf: (brokers) => platformaticClient(brokers, settings, library) };
}

/** Returns whether the choice was created by {@link platformatic}. */
export function isUsable(client: unknown): client is UsableClient {
  return typeof client === 'object' && client !== null && 'clientOf' in client && typeof client.clientOf === 'function';
}

function platformaticClient(addresses: BrokerAddresses, settings: ConnectionSettings, library = libraryOf()): KafkaClient {
  const seeds = seedsOf(addresses);
  const brokers = (requestTimeoutMs: number): Brokers =>
    new Brokers({ library, settings: { ...settings, requestTimeoutMs }, seeds: seeds.next() });
  return {
    openLog: (options) => platformaticLog(brokers(options.requestTimeoutMs), options, seeds.count),
    runGroupSession: (options, signal) => runGroupSession(brokers(options.requestTimeoutMs), options, signal),
  };
}
