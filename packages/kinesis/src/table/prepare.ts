// Creates and checks the DynamoDB table of a group.
import type { TableDescription } from '@aws-sdk/client-dynamodb';
import { LeadershipError } from '@leadership/core';
import { sleep, type TimeoutOptions } from '@leadership/core/adapter';
import { after } from '@leadership/core/internal/engine';
import { withResponseTimeout } from '../client/response-timeout.ts';
import { checkTable, mayBeLegacyReplica, shortcoming, type TableUse } from './check-table.ts';
import type { Table } from './table.ts';

/** How to prepare a table. */
export interface Preparing {
  readonly use: Omit<TableUse, 'region' | 'keyNames'>;
  /** What to do about a missing table. An observer waits. */
  readonly ifMissing: 'create' | 'refuse' | 'wait';
  /** How long to wait for each answer. */
  readonly timeout: TimeoutOptions;
}

/** The interval at which a table that is being created is checked. Milliseconds. */
const periodMs = 100;
/** The states that a table does not leave by itself. */
const stuck: readonly unknown[] = [
  'ARCHIVED',
  'ARCHIVING',
  'INACCESSIBLE_ENCRYPTION_CREDENTIALS',
  'REPLICATION_NOT_AUTHORIZED',
];

/** A table that was prepared. */
export interface Prepared {
  /** Whether the table exists. */
  readonly isThere: boolean;
  /** A shortcoming of the table, if it has one. */
  readonly shortcoming?: string | undefined;
}

/**
 * Ensures that the table exists and can hold leases, unless this member waits for another one to
 * create it. Like a request, it rejects if the signal aborts.
 * @throws LeadershipError `misconfigured-backend`, `unauthorized`, or `unreachable` if waiting may
 * resolve the problem
 */
export async function prepare(
  table: Table,
  { use, ifMissing, timeout }: Preparing,
): Promise<Prepared> {
  const { clock, signal: until } = timeout;
  let found = await withResponseTimeout(table, timeout, (signal) => table.describe(signal));
  const region = await table.region();
  if (found === undefined) {
    if (ifMissing === 'wait') return { isThere: false };
    if (ifMissing === 'refuse') throw missing(table, region);
    await withResponseTimeout(table, timeout, (signal) => table.create(signal));
  }
  const lastLookAt = after(clock.now(), timeout.limitMs);
  while (!isReady(found)) {
    if (clock.now() > lastLookAt || isStuck(found)) throw unready(table.name, region, found);
    await sleep(clock, periodMs, until);
    until.throwIfAborted();
    found = await withResponseTimeout(table, timeout, (signal) => table.describe(signal));
  }
  const used = { ...use, region, keyNames: table.keyNames };
  checkTable(found, used, await legacyRegions(table, found, used, timeout));
  return { isThere: true, shortcoming: shortcoming(found, used) };
}

async function legacyRegions(
  table: Table,
  found: TableDescription,
  use: TableUse,
  timeout: TimeoutOptions,
): Promise<readonly string[]> {
  // If all members use one region, the answer changes nothing, so the process does not need the
  // permission.
  if (use.homeRegion === use.region || !mayBeLegacyReplica(found)) return [];
  const { TableName: name = table.name } = found;
  return withResponseTimeout(table, timeout, (signal) => table.legacyRegions(name, signal));
}

function isReady(table: TableDescription | undefined): table is TableDescription {
  return table?.TableStatus === 'ACTIVE' || table?.TableStatus === 'UPDATING';
}

function isStuck(table: TableDescription | undefined): boolean {
  return stuck.includes(table?.TableStatus);
}

/** Creates the error for a table that is not ready. A retry may help unless a person must act. */
function unready(
  name: string,
  region: string,
  { TableStatus: status }: TableDescription = {},
): LeadershipError {
  const code = isStuck({ TableStatus: status }) ? 'misconfigured-backend' : 'unreachable';
  const advice = code === 'unreachable' ? 'retrying' : 'resolve this in AWS, or use another table';
  return new LeadershipError(
    code,
    `table "${name}" in ${region}: it is not ready (status: ${status ?? 'not visible yet'}): ${advice}`,
  );
}

function missing({ name, keyNames }: Table, region: string): LeadershipError {
  const advice = `create it with the string keys \`${keyNames.hashKey}\` (hash) and \`${keyNames.rangeKey}\` (range), let members create it (create: true), or correct the name or the region`;
  return new LeadershipError(
    'misconfigured-backend',
    `table "${name}" in ${region}: the table does not exist: ${advice}`,
  );
}
