import type { TableDescription } from '@aws-sdk/client-dynamodb';
import { LeadershipError } from '@leadership/core';
import { after, type Patience, pause } from '@leadership/core/backend';
import { answerOf } from './answer-of.ts';
import { checkTable, shortcoming, type TableUse } from './check-table.ts';
import type { Table } from './table.ts';

/** How a table is prepared. */
export interface Preparing {
  readonly use: Omit<TableUse, 'region' | 'keyNames'>;
  /** Whether it is made where it is missing. */
  readonly create: boolean;
  /** How long each answer is waited for. */
  readonly patience: Patience;
}

/** How often a table that is being made is looked at. Milliseconds. */
const periodMs = 100;
/** What a table never gets out of by itself. */
const stuck: readonly unknown[] = ['ARCHIVED', 'ARCHIVING', 'INACCESSIBLE_ENCRYPTION_CREDENTIALS', 'REPLICATION_NOT_AUTHORIZED'];

/**
 * Makes sure of a table in which leases can be kept. Resolves with what is amiss in it nevertheless.
 * @throws LeadershipError `misconfigured-backend`, `unauthorized`, or `unreachable` where time may mend it
 */
export async function prepare(table: Table, { use, create, patience }: Preparing): Promise<string | undefined> {
  const { clock, until } = patience;
  let found = await answerOf(table, patience, (signal) => table.describe(signal));
  const region = await table.region();
  if (found === undefined) {
    if (!create) throw missing(table, region);
    await answerOf(table, patience, (signal) => table.create(signal));
  }
  const lastLookAt = after(clock.now(), patience.limitMs);
  while (!isReady(found)) {
    if (until.aborted) return undefined;
    if (clock.now() > lastLookAt || isStuck(found)) throw unready(table.name, region, found);
    await pause(clock, periodMs, until);
    found = await answerOf(table, patience, (signal) => table.describe(signal));
  }
  const used = { ...use, region, keyNames: table.keyNames };
  checkTable(found, used);
  return shortcoming(found, used);
}

function isReady(table: TableDescription | undefined): table is TableDescription {
  return table?.TableStatus === 'ACTIVE' || table?.TableStatus === 'UPDATING';
}

function isStuck(table: TableDescription | undefined): boolean {
  return stuck.includes(table?.TableStatus);
}

/** Whoever looks again later may find it ready, unless only a person can make it so. */
function unready(name: string, region: string, { TableStatus: status }: TableDescription = {}): LeadershipError {
  const code = isStuck({ TableStatus: status }) ? 'misconfigured-backend' : 'unreachable';
  const advice = code === 'unreachable' ? 'it is looked at again' : 'see to it, or use another table';
  return new LeadershipError(code, `table "${name}" in ${region}: it is not ready, but ${status ?? 'not there yet'}: ${advice}`);
}

function missing({ name, keyNames }: Table, region: string): LeadershipError {
  const advice = `make it with the text keys \`${keyNames.hashKey}\` (hash) and \`${keyNames.rangeKey}\` (range), let members make it (create: true), or correct the name or the region`;
  return new LeadershipError('misconfigured-backend', `table "${name}" in ${region}: there is no such table: ${advice}`);
}
