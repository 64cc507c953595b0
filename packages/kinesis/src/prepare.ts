import type { TableDescription } from '@aws-sdk/client-dynamodb';
import { LeadershipError } from '@leadership/core';
import { type Patience, pause, within } from '@leadership/core/backend';
import { checkTable, shortcoming, type TableUse } from './check-table.ts';
import type { Table } from './table.ts';

/** How a table is prepared. */
export interface Preparing {
  readonly use: Omit<TableUse, 'region'>;
  /** Whether it is made where it is missing. */
  readonly create: boolean;
  /** How long each answer is waited for. */
  readonly patience: Patience;
}

/** How often a table that is being made is looked at. Milliseconds. */
const periodMs = 100;

/**
 * Makes sure of a table in which leases can be kept. Resolves with what is amiss in it nevertheless.
 * @throws LeadershipError `misconfigured-backend`, `unauthorized`, or `unreachable` where time may mend it
 */
export async function prepare(table: Table, { use, create, patience }: Preparing): Promise<string | undefined> {
  const { clock, until } = patience;
  let found = await within(patience, (signal) => table.describe(signal));
  const region = await table.region();
  if (found === undefined) {
    if (!create) throw missing(table.name, region);
    await within(patience, (signal) => table.create(signal));
  }
  while (!isReady(found) && !until.aborted) {
    await pause(clock, periodMs, until);
    found = await within(patience, (signal) => table.describe(signal));
  }
  if (found === undefined) return undefined;
  checkTable(found, { ...use, region });
  return shortcoming(found, { ...use, region });
}

function isReady(table: TableDescription | undefined): table is TableDescription {
  return table?.TableStatus === 'ACTIVE' || table?.TableStatus === 'UPDATING';
}

function missing(name: string, region: string): LeadershipError {
  const advice =
    'make it with the text keys `group` (hash) and `item` (range), let members make it (create: true), or correct the name or the region';
  return new LeadershipError('misconfigured-backend', `table "${name}" in ${region}: there is no such table: ${advice}`);
}
