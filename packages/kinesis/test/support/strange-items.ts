import {
  type AttributeValue,
  DeleteItemCommand,
  GetItemCommand,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import { type LedgerRecord, parseRecord, registerRowName } from '@leadership/core/internal/lease';
import { type Item, itemNameOf, keys, textField, textIn } from '../../src/table/layout.ts';
import { tableOf } from '../../src/table/table.ts';
import type { LocalTable } from './local-table.ts';

/** Reads the raw item of a register. */
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
  await putItem(table, group, 'README', { note: { S: 'not a register' } });
  await putItem(table, group, 'partition#x', { [textField]: { N: '7' } });
  const current =
    textIn((await itemOf(table, group, registerRowName(partition))) ?? {}, textField) ?? '';
  await putItem(table, group, registerRowName(partition), {
    [textField]: { S: current.slice(0, current.length / 2) },
  });
}

/**
 * Writes a record as a later release may, with a kind and fields that this release does not know
 * (L1).
 */
export async function putOtherRelease(
  table: LocalTable,
  group: string,
  partition: number,
  kind: string,
  thresholdMs: number,
): Promise<void> {
  const { put } = tableOf(table.client, table.name);
  for (;;) {
    const text = textIn((await itemOf(table, group, registerRowName(partition))) ?? {}, textField);
    const { life = 'none' } = JSON.parse(text ?? '{}') as { readonly life?: string };
    const current = parseRecord(text ?? '');
    const { id: after = null, height = -1, token = 0n } = current ?? {};
    const writer = { id: `later/${height + 1}`, member: 'later', incarnation: 'later' };
    const place = { group, partition, after, height: height + 1, token: (token + 1n).toString() };
    const record = JSON.stringify({
      life,
      version: 99,
      proof: { of: ['something', 'else'] },
      ...place,
      ...writer,
      kind,
      thresholdMs,
    });
    const item = {
      [keys.group]: { S: group },
      [keys.item]: { S: registerRowName(partition) },
      [textField]: { S: record },
    };
    const expected = { [textField]: text === undefined ? undefined : { S: text } };
    if ((await put({ ...item, version: { N: '99' } }, expected, new AbortController().signal)).done)
      return;
  }
}

/** Reads the record of a register. */
export async function recordOf(
  table: LocalTable,
  group: string,
  partition: number,
): Promise<LedgerRecord | undefined> {
  return parseRecord(
    textIn((await itemOf(table, group, registerRowName(partition))) ?? {}, textField) ?? '',
  );
}

/**
 * Restores the register's item as it was two versions ago, as a restore of an older copy of the
 * table does.
 */
export async function rollBack(table: LocalTable, group: string, partition: number): Promise<void> {
  const versions: Item[] = [];
  while (versions.length < 3) {
    const item = await itemOf(table, group, registerRowName(partition));
    if (item !== undefined && textIn(item, textField) !== textIn(versions.at(-1) ?? {}, textField))
      versions.push(item);
    else await new Promise((resolve) => setTimeout(resolve, 10));
  }
  await putItem(table, group, registerRowName(partition), versions[0] ?? {});
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
