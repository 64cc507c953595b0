// Checks that leases are safe in a DynamoDB table, before it is used: its keys, its replicas, its
// capacity.
import type { TableDescription } from '@aws-sdk/client-dynamodb';
import { LeadershipError } from '@leadership/core';
import { type KeyNames, keySchemaOf } from './layout.ts';

/** Describes how the group will use the table. */
export interface TableUse {
  readonly region: string;
  /** The one region in which all members write to a global table. */
  readonly homeRegion: string | undefined;
  /** The leases that a member renews every T/3: together with T, its writes per second. */
  readonly renewals: number;
  /** T in milliseconds. */
  readonly thresholdMs: number;
  /** The key names that the table must have. */
  readonly keyNames: KeyNames;
}

/**
 * The current version of global tables. `DescribeTable` lists the replicas of this version, not
 * those of version 2017.11.29.
 */
const currentVersion = '2019.11.21';

/**
 * Whether the table may be a replica of a global table of version 2017.11.29, which only
 * `DescribeGlobalTable` shows. Every such replica has a stream of new and old images.
 */
export function mayBeLegacyReplica({
  GlobalTableVersion,
  StreamSpecification: stream,
}: TableDescription): boolean {
  return (
    GlobalTableVersion !== currentVersion &&
    stream?.StreamEnabled === true &&
    stream.StreamViewType === 'NEW_AND_OLD_IMAGES'
  );
}

/**
 * Rejects a table that cannot hold leases safely. `legacyRegions` are the replicas of a global
 * table of version 2017.11.29.
 * @throws LeadershipError `misconfigured-backend`
 */
export function checkTable(
  table: TableDescription,
  use: TableUse,
  legacyRegions: readonly string[] = [],
): void {
  const found = (table.KeySchema ?? []).map(
    ({ AttributeName, KeyType }) =>
      `${AttributeName} (${KeyType}, ${typeIn(table, AttributeName)})`,
  );
  const wanted = keySchemaOf(use.keyNames).map(
    ({ AttributeName, KeyType }) => `${AttributeName} (${KeyType}, S)`,
  );
  if (found.join() !== wanted.join())
    throw refusal(
      table,
      use,
      `its key is ${found.join(', ')}, but must be ${wanted.join(', ')}: name its keys with hashKey and rangeKey, or use another table`,
    );
  const listed = (table.Replicas ?? [])
    .map(({ RegionName }) => RegionName)
    .filter((region) => region !== undefined);
  const replicas = [...listed, ...legacyRegions];
  const isLegacy =
    table.GlobalTableVersion !== undefined && table.GlobalTableVersion !== currentVersion;
  const isGlobal = isLegacy || replicas.some((region) => region !== use.region);
  if (isGlobal && use.homeRegion !== use.region)
    throw refusal(table, use, globalAdvice(table, replicas, use));
}

/** Describes a shortcoming of a usable table in one sentence; `undefined` if there is none. */
export function shortcoming(table: TableDescription, use: TableUse): string | undefined {
  const { WriteCapacityUnits: units = 0 } = table.ProvisionedThroughput ?? {};
  const isProvisioned = table.BillingModeSummary?.BillingMode === 'PROVISIONED' || units > 0;
  const needed = Math.ceil((use.renewals * 3000) / use.thresholdMs);
  if (!isProvisioned || units >= needed) return undefined;
  const leases = use.renewals === 1 ? 'the lease of a member' : `${use.renewals} leases`;
  return `it has ${units} write units per second, but to renew ${leases} every ${Math.round(use.thresholdMs / 3)} ms takes ${needed}: provision more, or use on-demand billing`;
}

function typeIn({ AttributeDefinitions }: TableDescription, attribute: string | undefined): string {
  return (
    AttributeDefinitions?.find(({ AttributeName }) => AttributeName === attribute)?.AttributeType ??
    '?'
  );
}

function globalAdvice(
  table: TableDescription,
  replicas: readonly string[],
  { region, homeRegion }: TableUse,
): string {
  const pinned =
    homeRegion === undefined
      ? 'set homeRegion to the one region that all members use'
      : `homeRegion is ${homeRegion}: open the table there`;
  const where = replicas.length === 0 ? `version ${table.GlobalTableVersion}` : replicas.join(', ');
  // A strongly consistent table compares across its regions, but an election across regions was
  // never tried on one.
  const why =
    table.MultiRegionConsistency === 'STRONG'
      ? 'all members must use one region'
      : 'each region can elect its own leader';
  return `it is a global table (${where}), ${why}, and this member uses ${region}: ${pinned}, or use a single-region table`;
}

function refusal(
  { TableName }: TableDescription,
  { region }: TableUse,
  advice: string,
): LeadershipError {
  return new LeadershipError(
    'misconfigured-backend',
    `table "${TableName}" in ${region}: ${advice}`,
  );
}
