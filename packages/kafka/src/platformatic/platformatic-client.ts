// The adapter's client over @platformatic/kafka.
import { type BrokerAddresses, seedsOf } from '../connection/seeds.ts';
import type { KafkaClient } from '../kafka-client.ts';
import { Brokers } from './brokers.ts';
import type { UsableClient } from './client-choice.ts';
import type { ConnectionSettings } from './connection.ts';
import { runGroupSession } from './group.ts';
import { type Library, libraryOf } from './library.ts';
import { platformaticLog } from './log.ts';

/** Uses `@platformatic/kafka`. Tests replace the connections or the loaded library. */
export function platformaticWith(
  settings: ConnectionSettings,
  library?: () => Promise<Library>,
): UsableClient {
  return {
    name: '@platformatic/kafka',
    clientOf: (brokers) => platformaticClient(brokers, settings, library),
  };
}

function platformaticClient(
  addresses: BrokerAddresses,
  settings: ConnectionSettings,
  library = libraryOf(),
): KafkaClient {
  const seeds = seedsOf(addresses);
  const brokers = (requestTimeoutMs: number): Brokers =>
    new Brokers({ library, settings: { ...settings, requestTimeoutMs }, seeds: seeds.next() });
  return {
    openLog: (options) => platformaticLog(brokers(options.requestTimeoutMs), options, seeds.count),
    runGroupSession: (options, signal) =>
      runGroupSession(brokers(options.requestTimeoutMs), options, signal),
  };
}
