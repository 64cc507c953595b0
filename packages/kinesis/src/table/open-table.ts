// Opens the DynamoDB table of a group.
import { dynamoDbOf } from '../client/aws-client.ts';
import type { Credentials } from '../client/credentials.ts';
import { namedRegion, type PlaceOptions } from '../options.ts';
import { keys } from './layout.ts';
import { type Table, tableOf } from './table.ts';

/** A table, with the function that closes its client. */
export interface OpenedTable {
  readonly table: Table;
  readonly credentials: Credentials;
  close(): void;
}

/** Opens the table. Opens no connection yet. */
export function openTable(
  place: Pick<PlaceOptions, 'table' | 'region' | 'dynamodb' | 'hashKey' | 'rangeKey'>,
): OpenedTable {
  const { client, credentials, close } = dynamoDbOf(place.dynamodb, place.region);
  const { hashKey = keys.group, rangeKey = keys.item } = place;
  const table = tableOf(client, place.table, {
    wanted: namedRegion(place)[0],
    keyNames: { hashKey, rangeKey },
  });
  return { table, credentials, close };
}
