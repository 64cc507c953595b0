// Sends single requests to DynamoDB, converts the answers, and maps the errors. Nothing is retried
// here.
import {
  BatchGetItemCommand,
  CreateTableCommand,
  DeleteItemCommand,
  DescribeGlobalTableCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  PutItemCommand,
  type PutItemCommandInput,
  QueryCommand,
  type TableDescription,
  type TransactWriteItem,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import { checkedSender, type NamedRegion, requestCheck } from '../client/regions.ts';
import { awsError, isMissing, nameOf } from '../errors.ts';
import { defaultKeyNames, type Item, type KeyNames, keySchemaOf, keys } from './layout.ts';

/** The part of the SDK client that sends requests. */
type Sender = Pick<DynamoDBClient, 'send'>;

/**
 * The condition for replacing or removing an item: the value of each attribute, `undefined` if
 * absent.
 */
export type Expected = Readonly<Record<string, Item[string] | undefined>>;

/**
 * The outcome of a conditional write. A failed write returns the current item if DynamoDB sent it.
 */
type Outcome = { readonly done: true } | { readonly done: false; readonly found: Item | undefined };

/**
 * A DynamoDB table. Each call takes effect at most once. It rejects with a `LeadershipError`, and
 * then its outcome is unknown.
 */
export interface Table {
  readonly kind: 'table';
  readonly name: string;
  readonly keyNames: KeyNames;
  region(): Promise<string>;
  /** Reads the items of a group, or those in a range. */
  items(group: string, signal: AbortSignal, options?: ReadingOptions): Promise<readonly Item[]>;
  /** Reads single items of a group, as they are now. Those that do not exist are left out. */
  get(group: string, items: readonly string[], signal: AbortSignal): Promise<readonly Item[]>;
  put(item: Item, expected: Expected | undefined, signal: AbortSignal): Promise<Outcome>;
  remove(group: string, item: string, expected: Expected, signal: AbortSignal): Promise<Outcome>;
  /**
   * Creates all items, and sets another one on no condition, in one transaction of at most 100
   * items. Resolves with `done`; else nothing was changed, and with whether each item exists.
   */
  createAll(
    items: readonly Item[],
    set: Item,
    signal: AbortSignal,
  ): Promise<'done' | readonly boolean[]>;
  /** Describes the table; `undefined` if it does not exist. */
  describe(signal: AbortSignal): Promise<TableDescription | undefined>;
  /**
   * Returns the regions of the global table of version 2017.11.29 with that name, which is no ARN;
   * none if there is no such global table.
   */
  legacyRegions(plainName: string, signal: AbortSignal): Promise<readonly string[]>;
  /** Creates the table with on-demand billing. Succeeds if it already exists. */
  create(signal: AbortSignal): Promise<void>;
}

/** How to read the items of a group. */
interface ReadingOptions {
  /** The items to read. Default: all. */
  readonly range?: ItemRange;
}

/** Items in the order of their names: those from a name on, or those that begin with it. */
type ItemRange = { readonly from: string } | { readonly prefix: string };

/** How to access a table. */
export interface TableAccess {
  /** The required region. Requests to another region are rejected before they are sent. */
  readonly wanted?: NamedRegion | undefined;
  readonly keyNames?: KeyNames;
}

/** Creates the table with this name or ARN. */
export function tableOf(
  given: DynamoDBClient,
  name: string,
  { wanted, keyNames = defaultKeyNames }: TableAccess = {},
): Table {
  const region = (): Promise<string> => given.config.region();
  const check = requestCheck({ kind: 'table', name, client: given, wanted: async () => wanted });
  const client = checkedSender(given, check);
  /** Runs a request and maps its errors. */
  const ask = async <T>(action: string, request: () => Promise<T>): Promise<T> => {
    try {
      return await request();
    } catch (error) {
      throw awsError(error, {
        action: `dynamodb:${action}`,
        kind: 'table',
        name,
        region: await regionOf(region),
      });
    }
  };
  const there = { client, name, keyNames };
  return {
    kind: 'table',
    name,
    region,
    keyNames,
    items: (group, signal, options) =>
      ask('Query', () => queryAll(there, { group, ...options }, signal)),
    get: (group, items, signal) => ask('BatchGetItem', () => getAll(there, group, items, signal)),
    put: (item, expected, signal) =>
      ask('PutItem', () => conditional(there, () => put(there, item, expected, signal))),
    remove: (group, item, expected, signal) =>
      ask('DeleteItem', () =>
        conditional(there, () => remove(there, { group, item }, expected, signal)),
      ),
    createAll: (items, set, signal) => ask('PutItem', () => createAll(there, items, set, signal)),
    describe: (signal) =>
      ask('DescribeTable', async () => {
        const { Table } = await unlessMissing(
          client.send(new DescribeTableCommand({ TableName: name }), { abortSignal: signal }),
        );
        return Table;
      }),
    legacyRegions: (plainName, signal) =>
      ask('DescribeGlobalTable', () => legacyRegions(client, plainName, signal)),
    create: (signal) => ask('CreateTable', () => create(there, signal)),
  };
}

/**
 * Returns the region for an error message. A failure to determine it must not hide the original
 * error.
 */
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

/** There is no such global table, or the service is an emulator without global tables. */
const noGlobalTable: readonly string[] = [
  'GlobalTableNotFoundException',
  'UnknownOperationException',
];

async function legacyRegions(
  client: Sender,
  plainName: string,
  abortSignal: AbortSignal,
): Promise<readonly string[]> {
  try {
    const asked = new DescribeGlobalTableCommand({ GlobalTableName: plainName });
    const { GlobalTableDescription: found } = await client.send(asked, { abortSignal });
    return (found?.ReplicationGroup ?? [])
      .map(({ RegionName }) => RegionName)
      .filter((region) => region !== undefined);
  } catch (error) {
    if (noGlobalTable.includes(nameOf(error))) return [];
    throw error;
  }
}

/** A table, with its client and key names. */
interface There {
  readonly client: Sender;
  readonly name: string;
  readonly keyNames: KeyNames;
}

/** Replaces the internal key names by those of the table. */
function toTable<Value>(
  { keyNames: { hashKey, rangeKey } }: There,
  item: Readonly<Record<string, Value>>,
): Record<string, Value> {
  const names: Readonly<Record<string, string>> = { [keys.group]: hashKey, [keys.item]: rangeKey };
  return Object.fromEntries(
    Object.entries(item).map(([name, value]) => [names[name] ?? name, value]),
  );
}

/** Replaces the key names of the table by the internal ones. */
function fromTable({ keyNames: { hashKey, rangeKey } }: There, item: Item): Item {
  const names: Readonly<Record<string, string>> = { [hashKey]: keys.group, [rangeKey]: keys.item };
  return Object.fromEntries(
    Object.entries(item).map(([name, value]) => [names[name] ?? name, value]),
  );
}

interface Asking extends ReadingOptions {
  readonly group: string;
}

async function queryAll(
  there: There,
  { group, range }: Asking,
  signal: AbortSignal,
): Promise<readonly Item[]> {
  const { client, name, keyNames } = there;
  const within = rangeCondition(range);
  const items: Item[] = [];
  let start: Item | undefined;
  do {
    const query = new QueryCommand({
      TableName: name,
      // Another read may be older than the one before, and nothing in it shows that.
      ConsistentRead: true,
      KeyConditionExpression: `#group = :group${within.condition}`,
      ExpressionAttributeNames: {
        '#group': keyNames.hashKey,
        ...(range && { '#item': keyNames.rangeKey }),
      },
      ExpressionAttributeValues: { ':group': { S: group }, ...within.values },
      ...(start && { ExclusiveStartKey: start }),
    });
    const { Items = [], LastEvaluatedKey } = await client.send(query, { abortSignal: signal });
    for (const item of Items) items.push(fromTable(there, item));
    start = LastEvaluatedKey;
  } while (start !== undefined);
  return items;
}

function rangeCondition(range: ItemRange | undefined): {
  readonly condition: string;
  readonly values: Item;
} {
  if (range === undefined) return { condition: '', values: {} };
  return 'from' in range
    ? { condition: ' AND #item >= :item', values: { ':item': { S: range.from } } }
    : { condition: ' AND begins_with(#item, :item)', values: { ':item': { S: range.prefix } } };
}

/** The number of items that one request reads at most. */
const gottenMax = 100;

async function getAll(
  there: There,
  group: string,
  items: readonly string[],
  signal: AbortSignal,
): Promise<readonly Item[]> {
  const { client, name } = there;
  const found: Item[] = [];
  let keysLeft: Record<string, Item[string]>[] = items.map((item) =>
    toTable(there, { [keys.group]: { S: group }, [keys.item]: { S: item } }),
  );
  while (keysLeft.length > 0) {
    const asked = { Keys: keysLeft.slice(0, gottenMax), ConsistentRead: true };
    const command = new BatchGetItemCommand({ RequestItems: { [name]: asked } });
    const answer = await client.send(command, { abortSignal: signal });
    // The answer may name the table otherwise than the request did, by its ARN.
    for (const item of Object.values(answer.Responses ?? {}).flat())
      found.push(fromTable(there, item));
    const unread = Object.values(answer.UnprocessedKeys ?? {}).flatMap(({ Keys = [] }) => Keys);
    keysLeft = [...unread, ...keysLeft.slice(gottenMax)];
  }
  return found;
}

/** The codes of a cancelled transaction that say why an item of it was not written. */
const [notMet, notTried] = ['ConditionalCheckFailed', 'None'];

async function createAll(
  there: There,
  items: readonly Item[],
  set: Item,
  signal: AbortSignal,
): Promise<'done' | readonly boolean[]> {
  const TableName = there.name;
  const absent = condition(there, { [keys.item]: undefined });
  const created = items.map((item) => ({
    Put: { TableName, Item: toTable(there, item), ...absent },
  }));
  const TransactItems: TransactWriteItem[] = [
    ...created,
    { Put: { TableName, Item: toTable(there, set) } },
  ];
  try {
    await there.client.send(new TransactWriteItemsCommand({ TransactItems }), {
      abortSignal: signal,
    });
    return 'done';
  } catch (error) {
    const { CancellationReasons: reasons } = error as {
      readonly CancellationReasons?: readonly { readonly Code?: string }[];
    };
    const codes = reasons?.map(({ Code = notTried }) => Code) ?? [];
    const isExplained = codes.every((code) => [notMet, notTried, conflict].includes(code));
    if (nameOf(error) !== 'TransactionCanceledException' || !isExplained) throw error;
    return items.map((_, index) => codes[index] === notMet);
  }
}

function put(
  there: There,
  item: Item,
  expected: Expected | undefined,
  signal: AbortSignal,
): Promise<unknown> {
  const asked = {
    TableName: there.name,
    Item: toTable(there, item),
    ...condition(there, expected),
  };
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

type Condition = Pick<
  PutItemCommandInput,
  | 'ConditionExpression'
  | 'ExpressionAttributeNames'
  | 'ExpressionAttributeValues'
  | 'ReturnValuesOnConditionCheckFailure'
>;

/**
 * Builds a condition expression. A failed condition is charged like a write, and returns the
 * current item for free.
 */
function condition(there: There, expected: Expected | undefined): Condition {
  const attributes = Object.entries(toTable(there, expected ?? {}));
  if (attributes.length === 0) return {};
  const values = attributes.flatMap(([, value], index) =>
    value === undefined ? [] : [[`:v${index}`, value] as const],
  );
  const terms = attributes.map(([, value], index) =>
    value === undefined ? `attribute_not_exists(#n${index})` : `#n${index} = :v${index}`,
  );
  return {
    ConditionExpression: terms.join(' AND '),
    ExpressionAttributeNames: Object.fromEntries(
      attributes.map(([attribute], index) => [`#n${index}`, attribute]),
    ),
    ...(values.length > 0 && { ExpressionAttributeValues: Object.fromEntries(values) }),
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
  };
}

/** The reason why a write was not made that met a transaction. */
const conflict = 'TransactionConflict';

async function conditional(there: There, request: () => Promise<unknown>): Promise<Outcome> {
  try {
    await request();
    return { done: true };
  } catch (error) {
    if (nameOf(error) === `${conflict}Exception`) return { done: false, found: undefined };
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
    AttributeDefinitions: keySchema.map(({ AttributeName }) => ({
      AttributeName,
      AttributeType: 'S' as const,
    })),
    BillingMode: 'PAY_PER_REQUEST',
  });
  try {
    await client.send(command, { abortSignal: signal });
  } catch (error) {
    // Another member created the table first.
    if (nameOf(error) !== 'ResourceInUseException') throw error;
  }
}
