import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { NodeHttpHandler } from '@smithy/node-http-handler';

/** A client, and what ends what was made here. */
export interface Opened<Client> {
  readonly client: Client;
  /** Closes the connections of a client that was made here; one that was given stays open. */
  close(): void;
}

/** The client that was given, or one made as `config` says. Connects to nothing yet. */
export function dynamoDbOf(given: DynamoDBClient | DynamoDBClientConfig = {}, region?: string): Opened<DynamoDBClient> {
  if (isClient(given)) return { client: given, close: () => undefined };
  const client = new DynamoDBClient({ ...clientDefaults(region), ...given });
  return { client, close: () => client.destroy() };
}

/**
 * Each attempt once: the engine repeats what failed, with a new id. HTTP/1.1, as DynamoDB has nothing else, and Kinesis' client
 * would open a session of HTTP/2 for every request.
 */
export function clientDefaults(region: string | undefined): { maxAttempts: number; requestHandler: NodeHttpHandler; region?: string } {
  return { maxAttempts: 1, requestHandler: new NodeHttpHandler(), ...(region !== undefined && { region }) };
}

/** Told by what it can do: an application may have two copies of the SDK. */
export function isClient<Client extends { send: unknown }>(given: Client | object): given is Client {
  return 'send' in given && typeof given.send === 'function';
}
