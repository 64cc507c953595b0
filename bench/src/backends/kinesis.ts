// The AWS backend as the benchmarks of elections use it: a DynamoDB table, with or without a stream
// over which members notify each other. A round trip is a conditional write of one item.
import { CreateTableCommand, DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import {
  type AwsProxy,
  type AwsServer,
  awsProxy,
  hasDynamoDb,
  openAws,
  startDynamoDb,
} from '@leadership/tools/aws';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import {
  type Backend,
  type OpenBackend,
  type RequestCounter,
  type RoundTrip,
  startMember,
} from './backend.ts';

/** The reads per second that a shard serves. */
const readsPerSecond = 5;

const shared = { name: 'kinesis', isOffered: () => hasDynamoDb() } as const;

/** A table alone. */
export const dynamoDb: Backend = {
  ...shared,
  // Members with a session read the table every T/3. The deposition, the claim and its reading, and the
  // delays of a busy machine, come on top.
  failover: { thresholds: 4 / 3, roundTrip: { quantile: 0.5, slackMs: 50 } },
  /** Counts requests behind a proxy, if it is to count. It does not count bytes. */
  async open({ countsBytes = false }) {
    const server = await startDynamoDb();
    const proxy = countsBytes ? await awsProxy({ target: server.url }) : undefined;
    const roundTrips = await openRoundTrips(server, server.url);
    const { AWS_REGION: region } = server.environment;
    const table = `bench-${crypto.randomUUID()}`;
    const env = (member: string): Readonly<Record<string, string>> => ({
      ...server.environment,
      ...(proxy && { AWS_ENDPOINT_URL_DYNAMODB: proxy.line(member) }),
    });
    return {
      place: server.name,
      address: (group, member) => ({ url: urlOf({ region, table, group }), env: env(member) }),
      roundTrip: roundTrips.roundTrip,
      ...(proxy && { requests: counterOf(proxy) }),
      async [Symbol.asyncDispose]() {
        roundTrips[Symbol.dispose]();
        await proxy?.[Symbol.asyncDispose]();
        await server[Symbol.asyncDispose]();
      },
    };
  },
};

/** A table and a stream. */
export interface OpenKinesis extends OpenBackend {
  /** The same without the stream. */
  readonly alone: OpenBackend;
}

/**
 * A table, and a stream of one shard, each behind a proxy that counts the requests of every member.
 * Like AWS, the shard serves five reads a second.
 */
export const kinesis: Backend<OpenKinesis> = {
  ...shared,
  handover: {
    members: 2,
    by: 'p99',
    limit: { roundTrips: 1, slackMs: 0 },
    roundTrip: { what: 'one second, the longest delay of a notification', count: 1 },
    baselineMs: 1000,
    spread: 1,
  },
  async open() {
    const aws = await openAws({ shards: 1 });
    const [tables, streams] = await Promise.all([
      awsProxy({ target: aws.tables.url }),
      awsProxy({ target: aws.streams.url }),
    ]);
    const roundTrips = await openRoundTrips(aws.tables, tables.line('bare'));
    const { AWS_REGION: region } = aws.tables.environment;
    const table = `bench-${crypto.randomUUID()}`;
    const env = (member: string): Readonly<Record<string, string>> => ({
      ...aws.streams.environment,
      ...aws.tables.environment,
      AWS_ENDPOINT_URL_DYNAMODB: tables.line(member),
      AWS_ENDPOINT_URL_KINESIS: streams.line(member),
    });
    const common = {
      place: `${aws.name}, each behind a proxy`,
      roundTrip: roundTrips.roundTrip,
      async [Symbol.asyncDispose]() {
        roundTrips[Symbol.dispose]();
        await Promise.all([tables[Symbol.asyncDispose](), streams[Symbol.asyncDispose]()]);
        await aws[Symbol.asyncDispose]();
      },
    };
    const alone: OpenBackend = {
      ...common,
      address: (group, member) => ({
        url: urlOf({ region, table, group: `${group}-alone` }),
        env: env(`${member}-alone`),
      }),
    };
    return {
      ...common,
      alone,
      address: (group, member) => ({
        url: urlOf({ region, table, group, stream: aws.stream }),
        env: env(member),
      }),
      requests: counterOf(tables, streams),
      peers: async () => ({
        peers: [{ name: 'without a stream', start: (options) => startMember(alone, options) }],
        notes: ['without a stream, a hand-over should take at most T/4 and two requests'],
      }),
    };
  },
};

/** The parts of a URL. */
interface Place {
  readonly region: string | undefined;
  readonly table: string;
  readonly group: string;
  readonly stream?: string;
}

function urlOf({ region, table, group, stream = '' }: Place): string {
  return `kinesis://${region}/${stream}?table=${table}&create=true&group=${group}`;
}

/** docs/reference/dynamodb.md documents the rates. */
function counterOf(tables: AwsProxy, streams?: AwsProxy): RequestCounter {
  const sum = (members: readonly string[], proxy?: AwsProxy, ...operations: string[]): number =>
    members
      .flatMap((member) => operations.map((operation) => proxy?.counts(member).get(operation) ?? 0))
      .reduce((a, b) => a + b, 0);
  return {
    words: { reads: 'reads', writes: 'writes', stream: 'stream reads' },
    documented: ({ members }, thresholdMs) => ({
      // With each renewal, and the rows of its own partitions once.
      reads: 4 * members,
      writes: 3 * members,
      stream: (readsPerSecond * thresholdMs) / 1000,
    }),
    count: async (members) => ({
      reads: sum(members, tables, 'Query', 'BatchGetItem'),
      writes: sum(members, tables, 'PutItem', 'DeleteItem', 'TransactWriteItems'),
      stream: sum(members, streams, 'GetRecords', 'PutRecords'),
    }),
    // Intervals are up to a tenth shorter, and a repeated write costs an additional read.
    limit: 1.25,
  };
}

interface RoundTrips extends Disposable {
  roundTrip(): Promise<RoundTrip>;
}

/** Creates a separate table for the round trips. */
async function openRoundTrips({ environment }: AwsServer, endpoint: string): Promise<RoundTrips> {
  const {
    AWS_REGION: region = '',
    AWS_ACCESS_KEY_ID: accessKeyId = '',
    AWS_SECRET_ACCESS_KEY: secretAccessKey = '',
  } = environment;
  const credentials = { accessKeyId, secretAccessKey };
  const requestHandler = new NodeHttpHandler();
  const client = new DynamoDBClient({ endpoint, region, credentials, requestHandler });
  const TableName = `bare-${crypto.randomUUID()}`;
  await client.send(
    new CreateTableCommand({
      TableName,
      KeySchema: [{ AttributeName: 'item', KeyType: 'HASH' }],
      AttributeDefinitions: [{ AttributeName: 'item', AttributeType: 'S' }],
      BillingMode: 'PAY_PER_REQUEST',
    }),
  );
  let last = '0';
  return {
    async roundTrip() {
      const next = crypto.randomUUID();
      const put = new PutItemCommand({
        TableName,
        Item: { item: { S: 'one' }, id: { S: next } },
        ConditionExpression: 'attribute_not_exists(id) OR id = :id',
        ExpressionAttributeValues: { ':id': { S: last } },
      });
      const began = performance.now();
      await client.send(put);
      last = next;
      return { ms: performance.now() - began };
    },
    [Symbol.dispose]: () => client.destroy(),
  };
}
