// Defines the items of the table: one per row. All items of a group share one DynamoDB partition key,
// so that one consistent query reads registers, lease requests and presence together. A query is
// charged by the total size that it reads; separate reads would charge a full unit for each small
// item.
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

/** Attribute names that are in use and so cannot name a key. */
export const reservedAttributes: readonly string[] = [textField];

/** Returns the text of an attribute; `undefined` if it is missing or not a string. */
export function textIn(item: Item, attribute: string): string | undefined {
  return item[attribute]?.S;
}
