// Sends single requests to DynamoDB, converts the answers, and maps the errors. Nothing is retried
// here.
import {
  CreateTableCommand,
  DeleteItemCommand,
  DescribeGlobalTableCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  PutItemCommand,
  QueryCommand,
  type TableDescription,
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
  /**
   * Reads all items of a group. A read that is not consistent costs half as much, but may return an
   * older state.
   */
  items(group: string, signal: AbortSignal, isConsistent?: boolean): Promise<readonly Item[]>;
  put(item: Item, expected: Expected | undefined, signal: AbortSignal): Promise<Outcome>;
  remove(group: string, item: string, expected: Expected, signal: AbortSignal): Promise<Outcome>;
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
    items: (group, signal, isConsistent = true) =>
      ask('Query', () => queryAll(there, { group, isConsistent }, signal)),
    put: (item, expected, signal) =>
      ask('PutItem', () => conditional(there, () => put(there, item, expected, signal))),
    remove: (group, item, expected, signal) =>
      ask('DeleteItem', () =>
        conditional(there, () => remove(there, { group, item }, expected, signal)),
      ),
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

interface Asking {
  readonly group: string;
  readonly isConsistent: boolean;
}

async function queryAll(
  there: There,
  { group, isConsistent }: Asking,
  signal: AbortSignal,
): Promise<readonly Item[]> {
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

/**
 * Builds a condition expression. A failed condition is charged like a write, and returns the
 * current item for free.
 */
function condition(there: There, expected: Expected | undefined): object {
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
