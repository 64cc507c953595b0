import {
  type AttributeValue,
  DeleteItemCommand,
  GetItemCommand,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import {
  changesField,
  type Item,
  itemNameOf,
  keys,
  textField,
  textIn,
} from '../../src/table/layout.ts';
import { tableOf } from '../../src/table/table.ts';
import type { LocalTable } from './local-table.ts';

/** Reads an item of the table. */
export async function itemOf(
  { client, name }: LocalTable,
  group: string,
  item: string,
): Promise<Item | undefined> {
  const key = { [keys.group]: { S: group }, [keys.item]: { S: item } };
  const { Item } = await client.send(
    new GetItemCommand({ TableName: name, Key: key, ConsistentRead: true }),
  );
  return Item;
}

/** Overwrites an item unconditionally, as an operator with a console can. */
export async function putItem(
  { client, name }: LocalTable,
  group: string,
  item: string,
  attributes: Readonly<Record<string, AttributeValue>>,
): Promise<void> {
  const data = { [keys.group]: { S: group }, [keys.item]: { S: item }, ...attributes };
  await client.send(new PutItemCommand({ TableName: name, Item: data }));
}

/** Sets the item of a row of a session, as an operator with a console can; `null` removes it. */
export async function putRow(
  table: LocalTable,
  group: string,
  row: string,
  text: string | null,
): Promise<void> {
  const item = itemNameOf(row);
  if (text !== null) return putItem(table, group, item, { [textField]: { S: text } });
  const Key = { [keys.group]: { S: group }, [keys.item]: { S: item } };
  await table.client.send(new DeleteItemCommand({ TableName: table.name, Key }));
}

/** Writes items that no member writes: foreign items and a truncated record. */
export async function putGarbage(
  table: LocalTable,
  group: string,
  partition: number,
): Promise<void> {
  await putItem(table, group, 'README', { note: { S: 'not a row' } });
  await putItem(table, group, 'partition#x', { [textField]: { N: '7' } });
  await putItem(table, group, 'readme', { note: { S: 'a row that no member knows' } });
  const current = await textOf(table, group, `partition#${partition}`);
  await putRow(table, group, `partition#${partition}`, current.slice(0, current.length / 2));
}

/**
 * Lets a session of a later release, with fields that this release does not know, own a partition by a
 * record of this kind.
 */
export async function putOtherRelease(
  table: LocalTable,
  group: string,
  partition: number,
  kind: string,
  thresholdMs: number,
): Promise<void> {
  const session = `later-${crypto.randomUUID()}/1`;
  const proof = { of: ['something', 'else'] };
  const live = { kind: `${kind}-of-a-session`, version: 0, thresholdMs, member: 'later', proof };
  await putItem(table, group, `session#${session}`, {
    [textField]: { S: JSON.stringify(live) },
    [changesField]: { S: '1' },
    version: { N: '99' },
  });
  const current = JSON.parse(await textOf(table, group, `partition#${partition}`)) as {
    readonly version: number;
    readonly token?: string;
  };
  const [version, token] = [current.version + 1, BigInt(current.token ?? 0) + 1n];
  const next = { ...current, kind, proof, version, session, seen: 0, token: String(token) };
  await putRow(table, group, `partition#${partition}`, JSON.stringify({ ...next, id: 'later' }));
}

async function textOf(table: LocalTable, group: string, item: string): Promise<string> {
  return textIn((await itemOf(table, group, item)) ?? {}, textField) ?? '{}';
}

/** Restores the session that owns the partition as it was two versions ago. */
export async function rollBack(table: LocalTable, group: string, partition: number): Promise<void> {
  const versions: Item[] = [];
  while (versions.length < 3) {
    const { session } = JSON.parse(await textOf(table, group, `partition#${partition}`)) as {
      readonly session?: string;
    };
    const item = await itemOf(table, group, `session#${session}`);
    if (item !== undefined && textIn(item, textField) !== textIn(versions.at(-1) ?? {}, textField))
      versions.push(item);
    else await new Promise((resolve) => setTimeout(resolve, 10));
  }
  const [first = {}] = versions;
  await putItem(table, group, textIn(first, keys.item) ?? '', first);
}

/** Deletes all items of the group one by one. */
export async function deleteItems(table: LocalTable, group: string): Promise<void> {
  const { client, name } = table;
  const items = await tableOf(client, name).items(group, new AbortController().signal);
  for (const item of items) {
    const key = Object.fromEntries(
      Object.values(keys).map((attribute) => [attribute, item[attribute] as AttributeValue]),
    );
    await client.send(new DeleteItemCommand({ TableName: name, Key: key }));
  }
}

/** Lists all items of the group. */
export async function contentsOf(
  { client, name }: LocalTable,
  group: string,
): Promise<readonly string[]> {
  const items = await tableOf(client, name).items(group, new AbortController().signal);
  return items.map((item) => JSON.stringify(item));
}
