// What a table has to be for a lease to be safe in it.
import type { TableDescription } from '@aws-sdk/client-dynamodb';
import { LeadershipError } from '@leadership/core';
import { type KeyNames, keySchemaOf } from './layout.ts';

/** Where and how the group is going to use the table. */
export interface TableUse {
  readonly region: string;
  /** The one region in which all members write to a global table. */
  readonly homeRegion: string | undefined;
  /** M, and T in milliseconds: how many writes a second there will be. */
  readonly partitions: number;
  readonly thresholdMs: number;
  /** How the table has to name its keys. */
  readonly keyNames: KeyNames;
}

/**
 * Refuses a table that cannot hold leases.
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
      `its key is ${found.join(', ')}, and has to be ${wanted.join(', ')}: name its keys with hashKey and rangeKey, or use another table`,
    );
  const replicas = (table.Replicas ?? []).map(({ RegionName }) => RegionName).filter((region) => region !== undefined);
  const isGlobal = replicas.some((region) => region !== use.region);
  if (isGlobal && use.homeRegion !== use.region) throw refusal(table, use, globalAdvice(replicas, use));
}

/** What is wrong with a table that will do all the same, in a sentence. */
export function shortcoming(table: TableDescription, use: TableUse): string | undefined {
  const { WriteCapacityUnits: units = 0 } = table.ProvisionedThroughput ?? {};
  const isProvisioned = table.BillingModeSummary?.BillingMode === 'PROVISIONED' || units > 0;
  const needed = Math.ceil((use.partitions * 3000) / use.thresholdMs);
  if (!isProvisioned || units >= needed) return undefined;
  return `table "${table.TableName}" has ${units} write units a second, and ${use.partitions} partitions that are renewed every ${Math.round(use.thresholdMs / 3)} ms take ${needed}: provide more, or bill it on demand`;
}

function typeIn({ AttributeDefinitions }: TableDescription, attribute: string | undefined): string {
  return AttributeDefinitions?.find(({ AttributeName }) => AttributeName === attribute)?.AttributeType ?? '?';
}

function globalAdvice(replicas: readonly string[], { region, homeRegion }: TableUse): string {
  const pinned =
    homeRegion === undefined ? 'name the one region all members use as homeRegion' : `homeRegion is ${homeRegion}: open it there`;
  return `it is a global table (${replicas.join(', ')}), whose regions each let a member win, and this one is in ${region}: ${pinned}, or use a table of one region`;
}

function refusal({ TableName }: TableDescription, { region }: TableUse, advice: string): LeadershipError {
  return new LeadershipError('misconfigured-backend', `table "${TableName}" in ${region}: ${advice}`);
}
