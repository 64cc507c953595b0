// How `platformatic()` marks that a source shall use @platformatic/kafka instead of KafkaJS.
import type { BrokerAddresses } from '../connection/seeds.ts';
import type { KafkaClient } from '../kafka-client.ts';

/** A client library that replaces KafkaJS, created by `platformatic()`. */
export interface ClientChoice {
  /** The package. */
  readonly name: string;
}

/** A choice as the adapter uses it. */
export interface UsableClient extends ClientChoice {
  readonly clientOf: (brokers: BrokerAddresses) => KafkaClient;
}

/** Returns whether the choice was created by `platformatic()`. */
export function isUsable(client: unknown): client is UsableClient {
  return (
    typeof client === 'object' &&
    client !== null &&
    'clientOf' in client &&
    typeof client.clientOf === 'function'
  );
}
