// Defines the items of the table. All items of a group share one DynamoDB partition key, so that
// one consistent query reads registers, lease requests and presence together. A query is charged by
// the total size that it reads; separate reads would charge a full unit for each small item.
import type { AttributeValue, KeySchemaElement } from '@aws-sdk/client-dynamodb';
import { pinRegister } from '@leadership/core/adapter';

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

/**
 * The attributes of a register's item: the id of this life of the register, the record as JSON, and
 * the record's id for use in conditions. An item with only a life is a genesis: no record is in
 * effect yet.
 */
export const fields = { life: 'life', id: 'id', record: 'record' } as const;

/** The attribute of the pin that stores the group's guarantee. If absent, it is `exclusive`. */
export const guaranteeField = 'guarantee';

/** The attribute of the pin that stores `homeRegion`. Absent if the first member named none. */
export const homeRegionField = 'homeRegion';

/**
 * The attribute of the pin's genesis with the number of partitions that its creator will pin. A
 * number.
 */
export const partitionsField = 'partitions';

/** The attribute that holds the JSON text of a lease request or a presence item. */
export const textField = 'note';

/** Returns the name of a register's item. */
export function registerItem(partition: number): string {
  return partition === pinRegister ? 'pin' : `partition#${partition}`;
}

const memberPrefix = 'member#';
const requestPrefix = 'want#';

/** Returns the name of the item by which a member announces its presence. */
export function presenceItem(incarnation: string): string {
  return `${memberPrefix}${incarnation}`;
}

/** Returns the name of the item by which a member requests a lease. */
export function requestItem(partition: number, incarnation: string): string {
  return `${requestPrefix}${partition}#${incarnation}`;
}

/** Returns the kind of a member's item by its name; `undefined` for other items. */
export function memberItemKind(item: string): 'member' | 'lease-request' | undefined {
  if (item.startsWith(memberPrefix)) return 'member';
  return item.startsWith(requestPrefix) ? 'lease-request' : undefined;
}

/** Attribute names that are in use and so cannot name a key. */
export const reservedAttributes: readonly string[] = [
  ...Object.values(fields),
  guaranteeField,
  homeRegionField,
  partitionsField,
  textField,
];

/** Returns the text of an attribute; `undefined` if it is missing or not a string. */
export function textIn(item: Item, attribute: string): string | undefined {
  return item[attribute]?.S;
}
