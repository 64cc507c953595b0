import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { NodeHttpHandler } from '@smithy/node-http-handler';

/** A client of the SDK, with the function that closes it. */
export interface Opened<Client> {
  readonly client: Client;
  /** Closes a client that this library created. A client that the application passed stays open. */
  close(): void;
}

/** Returns the given client, or creates one from the given configuration. Opens no connection. */
export function dynamoDbOf(
  given: DynamoDBClient | DynamoDBClientConfig = {},
  region?: string,
): Opened<DynamoDBClient> {
  if (isClient(given)) return { client: given, close: () => undefined };
  const client = new DynamoDBClient({ ...clientDefaults(region), ...given });
  return { client, close: () => client.destroy() };
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
