// Uses the client of the AWS SDK that the application passed, or creates one.
import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import type { Credentials } from './credentials.ts';
import { heldCredentials } from './held-credentials.ts';

/** A client of the SDK, with the function that closes it. */
export interface Opened<Client> {
  readonly client: Client;
  readonly credentials: Credentials;
  /** Closes a client that this library created. A client that the application passed stays open. */
  close(): void;
}

/** Returns the given client, or creates one from the given configuration. Opens no connection. */
export function dynamoDbOf(
  given: DynamoDBClient | DynamoDBClientConfig = {},
  region?: string,
): Opened<DynamoDBClient> {
  return isClient(given)
    ? openedClient(given)
    : openedClient(new DynamoDBClient({ ...clientDefaults(region), ...given }), 'own');
}

/** The part of a client of the SDK that opening it uses. */
interface AnyClient {
  readonly config: { credentials: unknown };
  destroy(): void;
}

/**
 * Returns a client with its credentials. The credentials of a client that this library created are
 * held, so that no request waits for their renewal. Those of an application stay as they are.
 */
export function openedClient<Client extends AnyClient>(
  client: Client,
  whose: 'own' | 'given' = 'given',
): Opened<Client> {
  const { config } = client;
  if (whose === 'given') {
    const credentials: Credentials = (options) => (config.credentials as Credentials)(options);
    return { client, credentials, close: () => undefined };
  }
  const credentials = heldCredentials(config.credentials as Credentials);
  config.credentials = credentials;
  return { client, credentials, close: () => client.destroy() };
}

/**
 * Returns defaults for the clients that this library creates. The SDK must not retry: the engine
 * retries with a new record id. HTTP/1.1 is used for both services, because DynamoDB supports
 * nothing else and the Kinesis client would open an HTTP/2 session for each request.
 */
export function clientDefaults(region: string | undefined): {
  maxAttempts: number;
  requestHandler: NodeHttpHandler;
  region?: string;
} {
  return {
    maxAttempts: 1,
    requestHandler: new NodeHttpHandler(),
    ...(region !== undefined && { region }),
  };
}

/**
 * Checks for a client by its methods. `instanceof` fails when the application has two copies of the
 * SDK.
 */
export function isClient<Client extends { send: unknown }>(
  given: Client | object,
): given is Client {
  return 'send' in given && typeof given.send === 'function';
}
