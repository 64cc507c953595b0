// Defines the items of the table: one per row. All items of a group share one DynamoDB partition key,
// so that one consistent query reads many. A query is charged by the total size that it reads; separate
// reads would charge a full unit for each small item.
import type { AttributeValue, KeySchemaElement } from '@aws-sdk/client-dynamodb';

/** An item with its DynamoDB attribute values. */
export type Item = Readonly<Record<string, AttributeValue>>;

/** The internal names of the two keys. Both keys are strings. */
export const keys = { group: 'group', item: 'item' } as const;

/** The names of the two keys in a table. */
export interface KeyNames {
  readonly hashKey: string;
  readonly rangeKey: string;
}

/** The key names of a table unless options set others. */
export const defaultKeyNames: KeyNames = { hashKey: keys.group, rangeKey: keys.item };

/** Returns the key schema that a table with these key names must have. */
export function keySchemaOf({ hashKey, rangeKey }: KeyNames): readonly KeySchemaElement[] {
  return [
    { AttributeName: hashKey, KeyType: 'HASH' },
    { AttributeName: rangeKey, KeyType: 'RANGE' },
  ];
}

/** The key schema of a table with the default key names. */
export const keySchema: readonly KeySchemaElement[] = keySchemaOf(defaultKeyNames);

/** The attribute that holds the text of a row. */
export const textField = 'text';

/**
 * The attribute in which a session counts its changes of rows of partitions. It begins with `+` while
 * changes may still take effect.
 */
export const changesField = 'changes';

/** Attribute names that are in use and so cannot name a key. */
export const reservedAttributes: readonly string[] = [textField, changesField];

/** Returns the text of an attribute; `undefined` if it is missing or not a string. */
export function textIn(item: Item, attribute: string): string | undefined {
  return item[attribute]?.S;
}

// The rows of the lease by session. The rows of partitions change only when a leader changes, so the
// others, the head, are read without them.

/** The beginning of the names of the items of partitions. */
export const ownershipPrefix = 'partition#';
/** The least name of an item of the head: all items of partitions have smaller names. */
export const headFrom = 'partition$';
/** What the names of rows begin with that would be smaller. */
const smaller = '~';

/** Returns the name of the item of a row. */
export function itemNameOf(row: string): string {
  const isInOrder = isOwnership(row) || (row >= headFrom && !row.startsWith(smaller));
  return isInOrder ? row : smaller + row;
}

/** Returns the name of the row of an item; `undefined` if it is of no row. */
export function rowNameOf(item: string): string | undefined {
  const row = item.startsWith(smaller) ? item.slice(smaller.length) : item;
  return itemNameOf(row) === item ? row : undefined;
}

/** Whether the row is that of a partition. */
export function isOwnership(row: string): boolean {
  return row.startsWith(ownershipPrefix);
}
