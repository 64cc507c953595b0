import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { NodeHttpHandler } from '@smithy/node-http-handler';

/** A client, and what ends what was made here. */
export interface Client {
  readonly dynamodb: DynamoDBClient;
  /** Closes the connections of a client that was made here; one that was given stays open. */
  close(): void;
}

/**
 * The client that was given, or one made as `config` says, each attempt once: the engine repeats what failed, with a new id. HTTP/1.1, as
 * DynamoDB has nothing else. Connects to nothing yet.
 */
export function clientOf(given: DynamoDBClient | DynamoDBClientConfig = {}, region?: string): Client {
  if (isClient(given)) return { dynamodb: given, close: () => undefined };
  const own = region === undefined ? {} : { region };
  const dynamodb = new DynamoDBClient({ maxAttempts: 1, requestHandler: new NodeHttpHandler(), ...own, ...given });
  return { dynamodb, close: () => dynamodb.destroy() };
}

/** Told by what it can do: an application may have two copies of the SDK. */
function isClient(given: DynamoDBClient | DynamoDBClientConfig): given is DynamoDBClient {
  return 'send' in given && typeof given.send === 'function';
}
