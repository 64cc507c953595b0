import type { DynamoDBClient, DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { LeadershipError, type SourceOptions } from '@leadership/core';
import type { LeadershipAddress, Parameters } from '@leadership/core/backend';

/** What {@link kinesisLeadership} takes. */
export interface KinesisOptions extends SourceOptions {
  /** The members that contend for the same roles. */
  readonly group: string;
  /** The table's name, or its ARN. Its keys are two texts: `group` (hash) and `item` (range). Many groups may share one. */
  readonly table: string;
  /** Default: what the client finds, as in `AWS_REGION`. Members in two regions elect two leaders. */
  readonly region?: string;
  /** A ready client, or what one is made with. Default: what the environment says. */
  readonly dynamodb?: DynamoDBClient | DynamoDBClientConfig;
  /** Whether a member makes the table where it is missing. Default `false`: a table in the wrong region is no way to find out. */
  readonly create?: boolean;
  /** The one region in which all members of the group use a global table: without it, one is refused. */
  readonly homeRegion?: string;
}

/** What a URL's query may say. */
export const parameters: Parameters = { table: 'string', create: 'boolean', homeRegion: 'string' };

/** The options of the backend itself, checked. */
export interface PlaceOptions extends Pick<KinesisOptions, 'table' | 'region' | 'dynamodb' | 'homeRegion'> {
  readonly create: boolean;
}

/**
 * Checks what can be checked without a network.
 * @throws LeadershipError `invalid-options`
 */
export function checkPlace({ table, region, homeRegion, create = false, dynamodb }: Partial<KinesisOptions>): PlaceOptions {
  check(
    isTable(table),
    `table ${JSON.stringify(table)} must be the name or ARN of a DynamoDB table, as in kinesis://eu-west-1?group=billing&table=leases`,
  );
  check(region === undefined || isRegion(region), `region ${JSON.stringify(region)} must be one of AWS, as eu-west-1`);
  check(homeRegion === undefined || isRegion(homeRegion), `homeRegion ${JSON.stringify(homeRegion)} must be a region of AWS, as eu-west-1`);
  check(typeof create === 'boolean', `create ${JSON.stringify(create)} must be true or false`);
  check(
    dynamodb === undefined || (typeof dynamodb === 'object' && dynamodb !== null),
    'dynamodb must be a DynamoDBClient, or what one is made with',
  );
  const given = { ...(region !== undefined && { region }), ...(homeRegion !== undefined && { homeRegion }), ...(dynamodb && { dynamodb }) };
  return { table, create, ...given };
}

/**
 * The region that `kinesis://REGION` names.
 * @throws LeadershipError `invalid-options` where it names more than that
 */
export function regionIn({ hosts, path }: LeadershipAddress): string {
  const [region, ...others] = hosts;
  check(region !== undefined && others.length === 0, 'a kinesis URL names one region: kinesis://eu-west-1?group=billing&table=leases');
  check(path === '' || path === '/', `a kinesis URL names no stream yet: leave out "${path}", the table is all it takes`);
  return region;
}

function isTable(table: unknown): table is string {
  return (
    typeof table === 'string' && (/^[\w.-]{3,255}$/.test(table) || /^arn:aws[\w-]*:dynamodb:[\w-]+:\d+:table\/[\w.-]{3,255}$/.test(table))
  );
}

function isRegion(region: unknown): region is string {
  return typeof region === 'string' && /^[a-z0-9-]{1,63}$/.test(region);
}

function check(holds: boolean, sentence: string): asserts holds {
  if (!holds) throw new LeadershipError('invalid-options', sentence);
}
