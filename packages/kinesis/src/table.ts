// The requests, each of them once: what is asked of DynamoDB, what it answered, and its errors in our words.
import {
  CreateTableCommand,
  DeleteItemCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  PutItemCommand,
  QueryCommand,
  type TableDescription,
} from '@aws-sdk/client-dynamodb';
import { awsError, isMissing, nameOf } from './errors.ts';
import { type Item, keySchema, keys } from './layout.ts';
import { checkedSender, type NamedRegion, requestCheck } from './regions.ts';

/** What sends requests to DynamoDB. */
type Sender = Pick<DynamoDBClient, 'send'>;

/** What must hold of an item for it to be replaced or removed: each attribute as it is there, `undefined` for not at all. */
export type Expected = Readonly<Record<string, Item[string] | undefined>>;

/** What became of a write on condition: it lost to `found`, where DynamoDB says what that is. */
type Outcome = { readonly done: true } | { readonly done: false; readonly found: Item | undefined };

/** A table of DynamoDB. Every call takes effect at most once, and rejects with a `LeadershipError`: then its fate is unknown. */
export interface Table {
  readonly name: string;
  region(): Promise<string>;
  /** All items of a group, as they were when this was called or later. */
  items(group: string, signal: AbortSignal): Promise<readonly Item[]>;
  put(item: Item, expected: Expected | undefined, signal: AbortSignal): Promise<Outcome>;
  remove(group: string, item: string, expected: Expected, signal: AbortSignal): Promise<Outcome>;
  /** `undefined` where there is no such table. */
  describe(signal: AbortSignal): Promise<TableDescription | undefined>;
  /** Makes it, billed on demand. That it exists meanwhile is no failure. */
  create(signal: AbortSignal): Promise<void>;
}

/** The table of that name, or ARN, as `client` reaches it. A request that would go elsewhere than to `wanted` is refused. */
export function tableOf(given: DynamoDBClient, name: string, wanted?: NamedRegion): Table {
  const region = (): Promise<string> => given.config.region();
  const check = requestCheck({ kind: 'table', name, client: given, wanted: async () => wanted });
  const client = checkedSender(given, check);
  /** Runs a request, and maps what it fails with. */
  const ask = async <T>(action: string, request: () => Promise<T>): Promise<T> => {
    try {
      return await request();
    } catch (error) {
      throw awsError(error, { action: `dynamodb:${action}`, kind: 'table', name, region: await regionOf(region) });
    }
  };
  return {
    name,
    region,
    items: (group, signal) => ask('Query', () => queryAll(client, name, group, signal)),
    put: (item, expected, signal) => ask('PutItem', () => conditional(() => put(client, name, item, expected, signal))),
    remove: (group, item, expected, signal) =>
      ask('DeleteItem', () => conditional(() => remove(client, name, { group, item }, expected, signal))),
    describe: (signal) =>
      ask('DescribeTable', async () => {
        const { Table } = await unlessMissing(client.send(new DescribeTableCommand({ TableName: name }), { abortSignal: signal }));
        return Table;
      }),
    create: (signal) => ask('CreateTable', () => create(client, name, signal)),
  };
}

/** A message about a region that cannot be found out must not hide what went wrong. */
async function regionOf(region: () => Promise<string>): Promise<string> {
  return region().catch(() => 'an unknown region');
}

async function unlessMissing<T extends object>(answer: Promise<T>): Promise<Partial<T>> {
  try {
    return await answer;
  } catch (error) {
    if (isMissing(error)) return {};
    throw error;
  }
}

async function queryAll(client: Sender, name: string, group: string, signal: AbortSignal): Promise<readonly Item[]> {
  const items: Item[] = [];
  let start: Item | undefined;
  do {
    const query = new QueryCommand({
      TableName: name,
      ConsistentRead: true,
      KeyConditionExpression: '#group = :group',
      ExpressionAttributeNames: { '#group': keys.group },
      ExpressionAttributeValues: { ':group': { S: group } },
      ...(start && { ExclusiveStartKey: start }),
    });
    const { Items = [], LastEvaluatedKey } = await client.send(query, { abortSignal: signal });
    items.push(...Items);
    start = LastEvaluatedKey;
  } while (start !== undefined);
  return items;
}

function put(client: Sender, name: string, item: Item, expected: Expected | undefined, signal: AbortSignal): Promise<unknown> {
  return client.send(new PutItemCommand({ TableName: name, Item: item, ...condition(expected) }), { abortSignal: signal });
}

function remove(
  client: Sender,
  name: string,
  { group, item }: { readonly group: string; readonly item: string },
  expected: Expected,
  signal: AbortSignal,
): Promise<unknown> {
  const key = { [keys.group]: { S: group }, [keys.item]: { S: item } };
  return client.send(new DeleteItemCommand({ TableName: name, Key: key, ...condition(expected) }), { abortSignal: signal });
}

/** A failed condition costs as much as a write: what it found comes with it, for nothing. */
function condition(expected: Expected | undefined): object {
  const attributes = Object.entries(expected ?? {});
  if (attributes.length === 0) return {};
  const values = attributes.flatMap(([, value], index) => (value === undefined ? [] : [[`:v${index}`, value] as const]));
  const terms = attributes.map(([, value], index) =>
    value === undefined ? `attribute_not_exists(#n${index})` : `#n${index} = :v${index}`,
  );
  return {
    ConditionExpression: terms.join(' AND '),
    ExpressionAttributeNames: Object.fromEntries(attributes.map(([attribute], index) => [`#n${index}`, attribute])),
    ...(values.length > 0 && { ExpressionAttributeValues: Object.fromEntries(values) }),
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
  };
}

async function conditional(request: () => Promise<unknown>): Promise<Outcome> {
  try {
    await request();
    return { done: true };
  } catch (error) {
    if (nameOf(error) !== 'ConditionalCheckFailedException') throw error;
    return { done: false, found: (error as { readonly Item?: Item }).Item };
  }
}

async function create(client: Sender, name: string, signal: AbortSignal): Promise<void> {
  const command = new CreateTableCommand({
    TableName: name,
    KeySchema: [...keySchema],
    AttributeDefinitions: keySchema.map(({ AttributeName }) => ({ AttributeName, AttributeType: 'S' as const })),
    BillingMode: 'PAY_PER_REQUEST',
  });
  try {
    await client.send(command, { abortSignal: signal });
  } catch (error) {
    // Another member was faster.
    if (nameOf(error) !== 'ResourceInUseException') throw error;
  }
}
