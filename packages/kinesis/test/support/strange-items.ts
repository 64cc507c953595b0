import { type AttributeValue, DeleteItemCommand, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { type LedgerRecord, parseRecord } from '@leadership/core/ledger';
import { fields, type Item, keys, registerItem, textIn } from '../../src/layout.ts';
import { tableOf } from '../../src/table.ts';
import type { LocalTable } from './local-table.ts';

/** The item of a register, as it is. */
export async function itemOf({ client, name }: LocalTable, group: string, item: string): Promise<Item | undefined> {
  const key = { [keys.group]: { S: group }, [keys.item]: { S: item } };
  const { Item } = await client.send(new GetItemCommand({ TableName: name, Key: key, ConsistentRead: true }));
  return Item;
}

/** Writes over whatever is there, as a person with a console does. */
export async function putItem(
  { client, name }: LocalTable,
  group: string,
  item: string,
  attributes: Readonly<Record<string, AttributeValue>>,
): Promise<void> {
  const data = { [keys.group]: { S: group }, [keys.item]: { S: item }, ...attributes };
  await client.send(new PutItemCommand({ TableName: name, Item: data }));
}

/** What no member writes: items that are none of ours, and a record that is cut in half. */
export async function putGarbage(table: LocalTable, group: string, partition: number): Promise<void> {
  await putItem(table, group, 'README', { note: { S: 'not a register' } });
  await putItem(table, group, 'partition#x', { id: { N: '7' } });
  const current = textIn((await itemOf(table, group, registerItem(partition))) ?? {}, fields.record) ?? '';
  await putItem(table, group, registerItem(partition), {
    [fields.id]: { S: 'x' },
    [fields.record]: { S: current.slice(0, current.length / 2) },
  });
}

/** A record as a later release may write it: of a kind and with fields that this one does not know (L1). */
export async function putOtherRelease(
  table: LocalTable,
  group: string,
  partition: number,
  kind: string,
  thresholdMs: number,
): Promise<void> {
  const { put } = tableOf(table.client, table.name);
  for (;;) {
    const { [fields.life]: life = { S: 'none' } } = (await itemOf(table, group, registerItem(partition))) ?? {};
    const current = await recordOf(table, group, partition);
    const { id: after = null, height = -1, token = 0n } = current ?? {};
    const writer = { id: `later/${height + 1}`, member: 'later', incarnation: 'later' };
    const place = { group, partition, after, height: height + 1, token: (token + 1n).toString() };
    const record = JSON.stringify({ version: 99, proof: { of: ['something', 'else'] }, ...place, ...writer, kind, thresholdMs });
    const item = {
      [keys.group]: { S: group },
      [keys.item]: { S: registerItem(partition) },
      [fields.life]: life,
      [fields.id]: { S: writer.id },
      [fields.record]: { S: record },
    };
    const expected = { [fields.id]: after === null ? undefined : { S: after } };
    if ((await put({ ...item, version: { N: '99' } }, expected, new AbortController().signal)).done) return;
  }
}

/** The record that a register holds. */
export async function recordOf(table: LocalTable, group: string, partition: number): Promise<LedgerRecord | undefined> {
  return parseRecord(textIn((await itemOf(table, group, registerItem(partition))) ?? {}, fields.record) ?? '');
}

/** Deletes everything the group has, item by item. */
export async function deleteItems(table: LocalTable, group: string): Promise<void> {
  const { client, name } = table;
  const items = await tableOf(client, name).items(group, new AbortController().signal);
  for (const item of items) {
    const key = Object.fromEntries(Object.values(keys).map((attribute) => [attribute, item[attribute] as AttributeValue]));
    await client.send(new DeleteItemCommand({ TableName: name, Key: key }));
  }
}
