// What the table holds. One DynamoDB partition key per group, so that one consistent query reads all of it: registers, wants and
// presence. The cost of a query is the sum of what it reads; item by item every small item would cost a whole unit.
import type { AttributeValue, KeySchemaElement } from '@aws-sdk/client-dynamodb';
import { pinRegister } from '@leadership/core/ledger';

/** An item as DynamoDB has it. */
export type Item = Readonly<Record<string, AttributeValue>>;

/** The names of the two keys, both texts, as they are called here. */
export const keys = { group: 'group', item: 'item' } as const;

/** How a table names its two keys. */
export interface KeyNames {
  readonly hashKey: string;
  readonly rangeKey: string;
}

/** The names that a table has unless options say otherwise. */
export const defaultKeyNames: KeyNames = { hashKey: keys.group, rangeKey: keys.item };

/** The key schema that a table must have. */
export function keySchemaOf({ hashKey, rangeKey }: KeyNames): readonly KeySchemaElement[] {
  return [
    { AttributeName: hashKey, KeyType: 'HASH' },
    { AttributeName: rangeKey, KeyType: 'RANGE' },
  ];
}

/** The key schema of a table with the names that it has by default. */
export const keySchema: readonly KeySchemaElement[] = keySchemaOf(defaultKeyNames);

/**
 * The attributes of a register's item: which of the lives of this register it is, the record as JSON, and the record's id beside it
 * for conditions to name. An item with a life and no more is a genesis: nothing is in effect yet.
 */
export const fields = { life: 'life', id: 'id', record: 'record' } as const;

/** The attribute of the pin's item that says what the group is promised. Without: `exclusive`. */
export const guaranteeField = 'guarantee';

/** The attribute of the pin's genesis that says how many partitions its maker is going to pin: a number. */
export const partitionsField = 'partitions';

/** The attribute of a want or a presence: JSON. */
export const noteField = 'note';

/** The item of a register. */
export function registerItem(partition: number): string {
  return partition === pinRegister ? 'pin' : `partition#${partition}`;
}

const memberPrefix = 'member#';
const wantPrefix = 'want#';

/** The item by which a member says that it is there. */
export function memberItem(incarnation: string): string {
  return `${memberPrefix}${incarnation}`;
}

/** The item by which a member asks for a lease. */
export function wantItem(partition: number, incarnation: string): string {
  return `${wantPrefix}${partition}#${incarnation}`;
}

/** What kind of note an item is by its name, if it is one. */
export function noteKind(item: string): 'member' | 'want' | undefined {
  if (item.startsWith(memberPrefix)) return 'member';
  return item.startsWith(wantPrefix) ? 'want' : undefined;
}

/** The attributes that no key may be named like. */
export const reservedAttributes: readonly string[] = [...Object.values(fields), guaranteeField, partitionsField, noteField];

/** The text in an attribute; `undefined` where there is none. */
export function textIn(item: Item, attribute: string): string | undefined {
  return item[attribute]?.S;
}
