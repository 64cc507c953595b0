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
import { defaultKeyNames, type Item, type KeyNames, keySchemaOf, keys } from './layout.ts';
import { checkedSender, type NamedRegion, requestCheck } from './regions.ts';

/** What sends requests to DynamoDB. */
type Sender = Pick<DynamoDBClient, 'send'>;

/** What must hold of an item for it to be replaced or removed: each attribute as it is there, `undefined` for not at all. */
export type Expected = Readonly<Record<string, Item[string] | undefined>>;

/** What became of a write on condition: it lost to `found`, where DynamoDB says what that is. */
type Outcome = { readonly done: true } | { readonly done: false; readonly found: Item | undefined };

/** A table of DynamoDB. Every call takes effect at most once, and rejects with a `LeadershipError`: then its fate is unknown. */
export interface Table {
  readonly kind: 'table';
  readonly name: string;
  readonly keyNames: KeyNames;
  region(): Promise<string>;
  /** All items of a group, as they were when this was called or later; not consistent: perhaps as they were before, for half the price. */
  items(group: string, signal: AbortSignal, isConsistent?: boolean): Promise<readonly Item[]>;
  put(item: Item, expected: Expected | undefined, signal: AbortSignal): Promise<Outcome>;
  remove(group: string, item: string, expected: Expected, signal: AbortSignal): Promise<Outcome>;
  /** `undefined` where there is no such table. */
  describe(signal: AbortSignal): Promise<TableDescription | undefined>;
  /** Makes it, billed on demand. That it exists meanwhile is no failure. */
  create(signal: AbortSignal): Promise<void>;
}

/** What is known of a table beforehand. */
export interface TableAccess {
  /** A request that would go elsewhere is refused. */
  readonly wanted?: NamedRegion | undefined;
  readonly keyNames?: KeyNames;
}

/** The table of that name, or ARN, as a client reaches it. */
export function tableOf(given: DynamoDBClient, name: string, { wanted, keyNames = defaultKeyNames }: TableAccess = {}): Table {
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
  const there = { client, name, keyNames };
  return {
    kind: 'table',
    name,
    region,
    keyNames,
    items: (group, signal, isConsistent = true) => ask('Query', () => queryAll(there, { group, isConsistent }, signal)),
    put: (item, expected, signal) => ask('PutItem', () => conditional(there, () => put(there, item, expected, signal))),
    remove: (group, item, expected, signal) =>
      ask('DeleteItem', () => conditional(there, () => remove(there, { group, item }, expected, signal))),
    describe: (signal) =>
      ask('DescribeTable', async () => {
        const { Table } = await unlessMissing(client.send(new DescribeTableCommand({ TableName: name }), { abortSignal: signal }));
        return Table;
      }),
    create: (signal) => ask('CreateTable', () => create(there, signal)),
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

/** A table, and how it names its keys. */
interface There {
  readonly client: Sender;
  readonly name: string;
  readonly keyNames: KeyNames;
}

/** Attributes with the keys' names as the table has them. */
function toTable<Value>({ keyNames: { hashKey, rangeKey } }: There, item: Readonly<Record<string, Value>>): Record<string, Value> {
  const names: Readonly<Record<string, string>> = { [keys.group]: hashKey, [keys.item]: rangeKey };
  return Object.fromEntries(Object.entries(item).map(([name, value]) => [names[name] ?? name, value]));
}

/** Attributes with the keys' names as they are called here. */
function fromTable({ keyNames: { hashKey, rangeKey } }: There, item: Item): Item {
  const names: Readonly<Record<string, string>> = { [hashKey]: keys.group, [rangeKey]: keys.item };
  return Object.fromEntries(Object.entries(item).map(([name, value]) => [names[name] ?? name, value]));
}

interface Asking {
  readonly group: string;
  readonly isConsistent: boolean;
}

async function queryAll(there: There, { group, isConsistent }: Asking, signal: AbortSignal): Promise<readonly Item[]> {
  const { client, name, keyNames } = there;
  const items: Item[] = [];
  let start: Item | undefined;
  do {
    const query = new QueryCommand({
      TableName: name,
      ConsistentRead: isConsistent,
      KeyConditionExpression: '#group = :group',
      ExpressionAttributeNames: { '#group': keyNames.hashKey },
      ExpressionAttributeValues: { ':group': { S: group } },
      ...(start && { ExclusiveStartKey: start }),
    });
    const { Items = [], LastEvaluatedKey } = await client.send(query, { abortSignal: signal });
    for (const item of Items) items.push(fromTable(there, item));
    start = LastEvaluatedKey;
  } while (start !== undefined);
  return items;
}

function put(there: There, item: Item, expected: Expected | undefined, signal: AbortSignal): Promise<unknown> {
  const asked = { TableName: there.name, Item: toTable(there, item), ...condition(there, expected) };
  return there.client.send(new PutItemCommand(asked), { abortSignal: signal });
}

function remove(
  there: There,
  { group, item }: { readonly group: string; readonly item: string },
  expected: Expected,
  signal: AbortSignal,
): Promise<unknown> {
  const key = toTable(there, { [keys.group]: { S: group }, [keys.item]: { S: item } });
  const asked = { TableName: there.name, Key: key, ...condition(there, expected) };
  return there.client.send(new DeleteItemCommand(asked), { abortSignal: signal });
}

/** A failed condition costs as much as a write: what it found comes with it, for nothing. */
function condition(there: There, expected: Expected | undefined): object {
  const attributes = Object.entries(toTable(there, expected ?? {}));
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

async function conditional(there: There, request: () => Promise<unknown>): Promise<Outcome> {
  try {
    await request();
    return { done: true };
  } catch (error) {
    if (nameOf(error) !== 'ConditionalCheckFailedException') throw error;
    const { Item: found } = error as { readonly Item?: Item };
    return { done: false, found: found && fromTable(there, found) };
  }
}

async function create({ client, name, keyNames }: There, signal: AbortSignal): Promise<void> {
  const keySchema = keySchemaOf(keyNames);
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
