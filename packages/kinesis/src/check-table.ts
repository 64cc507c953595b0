// Checks that leases are safe in a table.
import type { TableDescription } from '@aws-sdk/client-dynamodb';
import { LeadershipError } from '@leadership/core';
import { type KeyNames, keySchemaOf } from './layout.ts';

/** Describes how the group will use the table. */
export interface TableUse {
  readonly region: string;
  /** The one region in which all members write to a global table. */
  readonly homeRegion: string | undefined;
  /** M. Together with T it gives the number of writes per second. */
  readonly partitions: number;
  /** T in milliseconds. */
  readonly thresholdMs: number;
  /** The key names that the table must have. */
  readonly keyNames: KeyNames;
}

/**
 * Rejects a table that cannot hold leases safely.
 * @throws LeadershipError `misconfigured-backend`
 */
export function checkTable(table: TableDescription, use: TableUse): void {
  const found = (table.KeySchema ?? []).map(
    ({ AttributeName, KeyType }) => `${AttributeName} (${KeyType}, ${typeIn(table, AttributeName)})`,
  );
  const wanted = keySchemaOf(use.keyNames).map(({ AttributeName, KeyType }) => `${AttributeName} (${KeyType}, S)`);
  if (found.join() !== wanted.join())
    throw refusal(
      table,
      use,
      `its key is ${found.join(', ')}, but must be ${wanted.join(', ')}: name its keys with hashKey and rangeKey, or use another table`,
    );
  const replicas = (table.Replicas ?? []).map(({ RegionName }) => RegionName).filter((region) => region !== undefined);
  const isGlobal = replicas.some((region) => region !== use.region);
  if (isGlobal && use.homeRegion !== use.region) throw refusal(table, use, globalAdvice(replicas, use));
}

/** Describes a shortcoming of a usable table in one sentence; `undefined` if there is none. */
export function shortcoming(table: TableDescription, use: TableUse): string | undefined {
  const { WriteCapacityUnits: units = 0 } = table.ProvisionedThroughput ?? {};
  const isProvisioned = table.BillingModeSummary?.BillingMode === 'PROVISIONED' || units > 0;
  const needed = Math.ceil((use.partitions * 3000) / use.thresholdMs);
  if (!isProvisioned || units >= needed) return undefined;
  return `table "${table.TableName}" has ${units} write units per second, but ${use.partitions} partitions that are renewed every ${Math.round(use.thresholdMs / 3)} ms need ${needed}: provision more, or use on-demand billing`;
}

function typeIn({ AttributeDefinitions }: TableDescription, attribute: string | undefined): string {
  return AttributeDefinitions?.find(({ AttributeName }) => AttributeName === attribute)?.AttributeType ?? '?';
}

function globalAdvice(replicas: readonly string[], { region, homeRegion }: TableUse): string {
  const pinned =
    homeRegion === undefined
      ? 'set homeRegion to the one region that all members use'
      : `homeRegion is ${homeRegion}: open the table there`;
  return `it is a global table (${replicas.join(', ')}), each region can elect its own leader, and this member uses ${region}: ${pinned}, or use a single-region table`;
}

function refusal({ TableName }: TableDescription, { region }: TableUse, advice: string): LeadershipError {
  return new LeadershipError('misconfigured-backend', `table "${TableName}" in ${region}: ${advice}`);
}
