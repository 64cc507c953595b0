import { CreateTableCommand, DeleteTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  type AwsProxy,
  type AwsServer,
  awsProxy,
  type DynamoDbOptions,
  startDynamoDb,
} from '@leadership/tools/aws';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { keySchema } from '../../src/table/layout.ts';
import { type Config, credentials, region } from './local-config.ts';

/**
 * A new table on a DynamoDB emulator, reached directly or through a proxy that can inject faults.
 */
export interface LocalTable extends AsyncDisposable {
  readonly name: string;
  readonly region: string;
  readonly proxy: AwsProxy;
  /** Bypasses the proxy. */
  readonly client: DynamoDBClient;
  /**
   * The configuration of a client that bypasses the proxy. `config` is for a client on a proxy
   * line.
   */
  readonly direct: Config;
  config(line: string): Config;
  /** The environment variables for members in child processes. */
  readonly environment: Readonly<Record<string, string>>;
  create(): Promise<void>;
  drop(): Promise<void>;
}

/** A table whose emulator was started for it. */
export interface EmulatedTable extends LocalTable {
  /** Another table on the same emulator, with a proxy of its own. */
  another(): Promise<LocalTable>;
}

export async function localTable(options: DynamoDbOptions = {}): Promise<EmulatedTable> {
  const server = await startDynamoDb(options);
  const table = await tableOn(server, async () => server[Symbol.asyncDispose]());
  return { ...table, another: () => tableOn(server, async () => undefined) };
}

async function tableOn(server: AwsServer, end: () => Promise<void>): Promise<LocalTable> {
  const proxy = await awsProxy({ target: server.url });
  const name = `leases-${crypto.randomUUID()}`;
  const client = new DynamoDBClient({
    endpoint: server.url,
    region,
    credentials,
    requestHandler: new NodeHttpHandler(),
  });
  const table: LocalTable = {
    name,
    region,
    proxy,
    client,
    config: (line) => ({ endpoint: proxy.line(line), region, credentials }),
    direct: { endpoint: server.url, region, credentials },
    environment: server.environment,
    async create() {
      const attributes = keySchema.map(({ AttributeName }) => ({
        AttributeName,
        AttributeType: 'S' as const,
      }));
      await client.send(
        new CreateTableCommand({
          TableName: name,
          KeySchema: [...keySchema],
          AttributeDefinitions: attributes,
          BillingMode: 'PAY_PER_REQUEST',
        }),
      );
    },
    drop: async () => void (await client.send(new DeleteTableCommand({ TableName: name }))),
    async [Symbol.asyncDispose]() {
      client.destroy();
      await proxy[Symbol.asyncDispose]();
      await end();
    },
  };
  await table.create();
  return table;
}
