import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { tableOf } from '../../src/table/table.ts';
import { credentials, region } from './local-config.ts';
import type { LocalTable } from './local-table.ts';
import { type MemoryService, memoryService, type Serve, ServiceError } from './memory-service.ts';

type Item = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** The fields of DynamoDB requests that this package uses. */
interface Input {
  readonly TableName: string;
  readonly GlobalTableName?: string;
  readonly Item: Item;
  readonly Key: Item;
  readonly KeySchema: readonly { readonly AttributeName: string; readonly KeyType: string }[];
  readonly AttributeDefinitions: readonly object[];
  readonly RequestItems: Readonly<Record<string, { readonly Keys: readonly Item[] }>>;
  readonly TransactItems: readonly { readonly Put: Input }[];
  readonly KeyConditionExpression?: string;
  readonly ConsistentRead?: boolean;
  readonly ExclusiveStartKey?: Item;
  readonly ConditionExpression?: string;
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>;
  readonly ExpressionAttributeValues?: Item;
  readonly ReturnValuesOnConditionCheckFailure?: string;
}

export interface MemoryTable extends LocalTable {
  readonly service: MemoryService;
  /** Makes it a replica of a global table of version 2017.11.29 with these regions. */
  replicate(regions: readonly string[]): void;
}

/** The number of items in one page. */
const pageItems = 3;

/**
 * Creates a table in an in-memory DynamoDB with conditional writes and pages. It refuses reads that are
 * not strongly consistent: they may be older than the one before.
 */
export async function memoryTable(): Promise<MemoryTable> {
  const name = `leases-${crypto.randomUUID()}`;
  const state = tableState(name);
  const service = memoryService(state.serve);
  // The endpoint must not be an AWS endpoint.
  const config = (line: string) => ({
    endpoint: 'http://127.0.0.1',
    region,
    credentials,
    requestHandler: service.handler(line),
  });
  const client = new DynamoDBClient(config('direct'));
  const { create } = tableOf(client, name);
  const table: MemoryTable = {
    name,
    region,
    client,
    config,
    service,
    direct: config('direct'),
    environment: {},
    proxy: { ...service, line: (line) => line, [Symbol.asyncDispose]: async () => undefined },
    replicate: state.replicate,
    create: () => create(new AbortController().signal),
    drop: async () => state.drop(),
    [Symbol.asyncDispose]: async () => client.destroy(),
  };
  await table.create();
  return table;
}

function tableState(name: string) {
  let schema: Pick<Input, 'KeySchema' | 'AttributeDefinitions'> | undefined;
  let items: ReadonlyMap<string, Item> = new Map();
  let replicas: readonly string[] | undefined;
  const keysOf = (): readonly [string, string] => {
    const [hash = '', range = ''] = (schema?.KeySchema ?? []).map(
      ({ AttributeName }) => AttributeName,
    );
    return [hash, range];
  };
  const nameOf = (item: Item): string =>
    keysOf()
      .map((key) => item[key]?.['S'])
      .join('\n');
  const change = (input: Input, key: Item, item: Item | undefined): object => {
    const found = items.get(nameOf(key));
    if (!meets(found, input)) {
      const more =
        input.ReturnValuesOnConditionCheckFailure === 'ALL_OLD' && found ? { Item: found } : {};
      throw new ServiceError('ConditionalCheckFailedException', more);
    }
    const next = new Map(items);
    if (item === undefined) next.delete(nameOf(key));
    else next.set(nameOf(key), item);
    items = next;
    return {};
  };
  const operations: Readonly<Record<string, (input: Input) => object>> = {
    CreateTable(input) {
      if (schema !== undefined) throw new ServiceError('ResourceInUseException');
      schema = input;
      return { TableDescription: { TableStatus: 'ACTIVE' } };
    },
    DescribeTable: () => ({
      Table: { TableName: name, TableStatus: 'ACTIVE', ...streamOfReplicas(replicas), ...schema },
    }),
    DescribeGlobalTable() {
      if (replicas === undefined || replicas.length === 0)
        throw new ServiceError('GlobalTableNotFoundException');
      return {
        GlobalTableDescription: {
          GlobalTableName: name,
          ReplicationGroup: replicas.map((RegionName) => ({ RegionName })),
        },
      };
    },
    PutItem: (input) => change(input, input.Item, input.Item),
    DeleteItem: (input) => change(input, input.Key, undefined),
    GetItem: ({ Key }) => ({ Item: items.get(nameOf(Key)) }),
    BatchGetItem: ({ RequestItems }) => ({
      Responses: {
        [name]: (RequestItems[name]?.Keys ?? [])
          .map((key) => items.get(nameOf(key)))
          .filter((item) => item !== undefined),
      },
    }),
    TransactWriteItems({ TransactItems }) {
      const puts = TransactItems.map(({ Put }) => Put);
      const reasons = puts.map((put) => ({
        Code: meets(items.get(nameOf(put.Item)), put) ? 'None' : 'ConditionalCheckFailed',
      }));
      if (reasons.some(({ Code }) => Code !== 'None'))
        throw new ServiceError('TransactionCanceledException', { CancellationReasons: reasons });
      for (const put of puts) change(put, put.Item, put.Item);
      return {};
    },
    Query: (input) => query(items, input, keysOf()),
  };
  const serve: Serve = (operation, input) => {
    const { RequestItems, TransactItems, ...asked } = input as unknown as Input;
    const TableName =
      asked.TableName ?? TransactItems?.[0]?.Put.TableName ?? Object.keys(RequestItems ?? {})[0];
    const { GlobalTableName = TableName } = asked;
    if (GlobalTableName !== name || (schema === undefined && operation !== 'CreateTable'))
      throw new ServiceError('ResourceNotFoundException');
    const run = operations[operation];
    if (run === undefined) throw new ServiceError('UnknownOperationException');
    return run(input as unknown as Input);
  };
  return {
    serve,
    replicate(regions: readonly string[]) {
      replicas = regions;
    },
    drop() {
      schema = undefined;
      items = new Map();
    },
  };
}

/** Replication of version 2017.11.29 needs a stream, which stays after the replicas end. */
function streamOfReplicas(replicas: readonly string[] | undefined): object {
  return replicas === undefined
    ? {}
    : { StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' } };
}

/** Evaluates a condition expression: terms of two forms, joined by AND. */
function meets(
  found: Item | undefined,
  { ConditionExpression, ExpressionAttributeNames = {}, ExpressionAttributeValues = {} }: Input,
): boolean {
  if (ConditionExpression === undefined) return true;
  return ConditionExpression.split(' AND ').every((term) => {
    const [, missing, name = missing, value = ''] =
      term.match(/^(?:attribute_not_exists\((#\w+)\)|(#\w+) = (:\w+))$/) ?? [];
    const attribute = found?.[ExpressionAttributeNames[name ?? ''] ?? ''];
    if (missing !== undefined) return attribute === undefined;
    if (name === undefined) throw new ServiceError('ValidationException');
    return (
      attribute !== undefined &&
      JSON.stringify(attribute) === JSON.stringify(ExpressionAttributeValues[value])
    );
  });
}

function query(
  from: ReadonlyMap<string, Item>,
  input: Input,
  [hash, range]: readonly [string, string],
): object {
  const [group, bound] = Object.values(input.ExpressionAttributeValues ?? {});
  const isWithin = (item: Item): boolean => {
    const [least = '', found] = [bound?.['S'], String(item[range]?.['S'])];
    const isPrefix = input.KeyConditionExpression?.includes('begins_with') === true;
    return isPrefix ? found.startsWith(least) : found >= least;
  };
  const isConsistent = input.ConsistentRead === true;
  if (!isConsistent || !Object.values(input.ExpressionAttributeNames ?? {}).includes(hash))
    throw new ServiceError('ValidationException');
  const after = input.ExclusiveStartKey?.[range]?.['S'] ?? '';
  const rest = [...from.values()]
    .filter((item) => item[hash]?.['S'] === group?.['S'] && String(item[range]?.['S']) > after)
    .filter(isWithin)
    .sort((a, b) => (String(a[range]?.['S']) < String(b[range]?.['S']) ? -1 : 1));
  const page = rest.slice(0, pageItems);
  const last = rest.length > pageItems ? page.at(-1) : undefined;
  return {
    Items: page,
    ...(last && { LastEvaluatedKey: { [hash]: last[hash], [range]: last[range] } }),
  };
}
