// The options of the AWS backend: their types and checks.
import type { DynamoDBClient, DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
// biome-ignore lint/suspicious/noTsIgnore: an error is expected only where the optional package is missing
/** @ts-ignore An optional package: without it the types below are `any`. */
import type { KinesisClient, KinesisClientConfig } from '@aws-sdk/client-kinesis';
import type { SourceOptions } from '@leadership/core';
import { check, type LeadershipAddress, type UrlParameters } from '@leadership/core/adapter';
import { differenceOf, type NamedRegion, regionOfArn, regionsOfConfig } from './client/regions.ts';
import { checkElection, type Election } from './election.ts';
import { keys, reservedAttributes } from './table/layout.ts';

/** Options for {@link kinesisLeadership}. */
export interface KinesisOptions extends SourceOptions {
  /** The name of the group. Its members compete for the same roles. */
  readonly group: string;
  /**
   * The name or ARN of the table. It needs two string keys: `group` (hash) and `item` (range), or
   * the names in `hashKey` and `rangeKey`. Several groups may share a table.
   */
  readonly table: string;
  /** The name of the table's hash key, a string. All members must use the same. Default `group`. */
  readonly hashKey?: string;
  /** The name of the table's range key, a string. All members must use the same. Default `item`. */
  readonly rangeKey?: string;
  /**
   * The AWS region. Members in two regions elect two leaders. Default: the region that the client
   * finds, for example in `AWS_REGION`.
   */
  readonly region?: string;
  /**
   * A DynamoDB client, or the configuration of one. Default: the configuration of the environment.
   */
  readonly dynamodb?: DynamoDBClient | DynamoDBClientConfig;
  /**
   * The name or ARN of a stream over which members notify one another, so that a hand-over does not
   * wait for the successor's next poll. A dedicated stream is recommended. Several groups may share
   * a stream.
   */
  readonly stream?: string;
  /**
   * A Kinesis client, or the configuration of one. Default: the configuration of the environment.
   */
  readonly kinesis?: KinesisClient | KinesisClientConfig;
  /**
   * Whether a member creates a missing table. Default `false`, because a mistyped region would
   * create a second table.
   */
  readonly create?: boolean;
  /**
   * The one region in which all members of the group use a global table. A global table is rejected
   * without this option.
   */
  readonly homeRegion?: string;
  /**
   * `exclusive` guarantees that there are never two leaders (L). `continuous` prefers two leaders
   * for a moment over none (I): the holder of a lease in the table should lead, and beats on the
   * stream prove that it still does, so it needs a stream. Default `exclusive`.
   */
  readonly guarantee?: 'exclusive' | 'continuous';
  /**
   * For `continuous` only: how long a silent member keeps its lease. Must be less than
   * `thresholdMs`. Milliseconds. Default T/3.
   */
  readonly leaseMs?: number;
  /**
   * For `continuous` only: the largest number of members that read the stream. Each reads less
   * often the more there are. Default 4.
   */
  readonly membersMax?: number;
}

/** The query parameters of a URL. */
export const parameters: UrlParameters = {
  table: 'string',
  hashKey: 'string',
  rangeKey: 'string',
  create: 'boolean',
  homeRegion: 'string',
  guarantee: 'string',
  leaseMs: 'number',
  membersMax: 'number',
};

/** The checked options of this backend. */
export interface PlaceOptions
  extends Pick<
    KinesisOptions,
    'table' | 'hashKey' | 'rangeKey' | 'region' | 'dynamodb' | 'homeRegion' | 'stream' | 'kinesis'
  > {
  readonly create: boolean;
  readonly election: Election;
}

/**
 * Checks the options as far as that needs no network.
 * @throws LeadershipError `invalid-options`
 */
export function checkPlace(options: Partial<KinesisOptions>): PlaceOptions {
  const {
    table,
    hashKey,
    rangeKey,
    region,
    homeRegion,
    create = false,
    dynamodb,
    stream,
    kinesis,
  } = options;
  check(
    isTable(table),
    `table ${JSON.stringify(table)} must be the name or ARN of a DynamoDB table, as in kinesis://eu-west-1?group=billing&table=leases`,
  );
  check(
    isKeyName(hashKey),
    `hashKey ${JSON.stringify(hashKey)} must be the name of the table's hash key, other than ${reserved}`,
  );
  check(
    isKeyName(rangeKey),
    `rangeKey ${JSON.stringify(rangeKey)} must be the name of the table's range key, other than ${reserved}`,
  );
  check(
    (hashKey ?? keys.group) !== (rangeKey ?? keys.item),
    `hashKey and rangeKey must differ, but both are ${JSON.stringify(hashKey ?? rangeKey)}`,
  );
  check(
    region === undefined || isRegion(region),
    `region ${JSON.stringify(region)} must be an AWS region, as in eu-west-1`,
  );
  check(
    homeRegion === undefined || isRegion(homeRegion),
    `homeRegion ${JSON.stringify(homeRegion)} must be an AWS region, as in eu-west-1`,
  );
  check(typeof create === 'boolean', `create ${JSON.stringify(create)} must be true or false`);
  check(isClientOption(dynamodb), 'dynamodb must be a DynamoDBClient or its configuration');
  check(
    stream === undefined || isStream(stream),
    `stream ${JSON.stringify(stream)} must be the name or ARN of a Kinesis stream`,
  );
  check(isClientOption(kinesis), 'kinesis must be a KinesisClient or its configuration');
  check(
    kinesis === undefined || stream !== undefined,
    'kinesis is set without a stream: set stream, or remove kinesis',
  );
  checkRegions(options);
  const own = { table, create, election: checkElection(options) };
  return {
    ...own,
    ...defined({ hashKey, rangeKey, region, homeRegion, dynamodb, kinesis, stream }),
  };
}

/** Checks that all regions known from the options agree. */
function checkRegions({
  table,
  region,
  homeRegion,
  dynamodb,
  stream,
  kinesis,
}: Partial<KinesisOptions>): void {
  const difference = differenceOf([
    ...namedRegion({ region }),
    { by: 'the option `homeRegion`', region: homeRegion },
    { by: 'the ARN of the table', region: regionOfArn(table) },
    { by: 'the ARN of the stream', region: regionOfArn(stream) },
    ...regionsOfConfig('dynamodb', dynamodb),
    ...regionsOfConfig('kinesis', kinesis),
  ]);
  check(difference === undefined, difference ?? '');
}

/** Removes the options that are undefined. */
function defined<Options extends object>(
  options: Options,
): { [Name in keyof Options]?: Exclude<Options[Name], undefined> } {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as {
    [Name in keyof Options]?: Exclude<Options[Name], undefined>;
  };
}

/** Returns the region that the options or the URL set, if any. */
export function namedRegion({
  region,
}: {
  readonly region?: string | undefined;
}): readonly NamedRegion[] {
  return region === undefined ? [] : [{ by: 'the option or URL', region }];
}

/**
 * Checks that the number of partitions is set if there is a stream.
 * @throws LeadershipError `invalid-options`
 */
export function checkCounted({ stream }: PlaceOptions, partitions: number | undefined): void {
  check(
    stream === undefined || partitions !== undefined,
    'partitions must be set with a stream; openKinesisLeadership and openLeadership can count the open shards of the stream instead',
  );
}

/**
 * Returns the region and the stream of `kinesis://REGION/STREAM`. Without a region the client finds
 * one, for example in `AWS_REGION`.
 * @throws LeadershipError `invalid-options` if the URL names anything else
 */
export function placeIn({
  hosts,
  path,
}: LeadershipAddress): Pick<KinesisOptions, 'region' | 'stream'> {
  const [region, ...others] = hosts;
  check(
    others.length === 0 && (path === '' || path.startsWith('/')),
    'a kinesis URL names one region, as in kinesis://eu-west-1/orders?group=billing&table=leases, or none to use AWS_REGION, as in kinesis:///orders?group=billing&table=leases',
  );
  const stream = path.replace(/^\//, '');
  return { ...(region !== undefined && { region }), ...(stream !== '' && { stream }) };
}

function isTable(table: unknown): table is string {
  return (
    typeof table === 'string' &&
    (/^[\w.-]{3,255}$/.test(table) ||
      /^arn:aws[\w-]*:dynamodb:[\w-]+:\d+:table\/[\w.-]{3,255}$/.test(table))
  );
}

const reserved = reservedAttributes.join(', ');

function isKeyName(name: unknown): boolean {
  return (
    name === undefined ||
    (typeof name === 'string' &&
      name.length > 0 &&
      name.length <= 255 &&
      !reservedAttributes.includes(name))
  );
}

function isStream(stream: unknown): boolean {
  return (
    typeof stream === 'string' &&
    (/^[\w.-]{1,128}$/.test(stream) ||
      /^arn:aws[\w-]*:kinesis:[\w-]+:\d+:stream\/[\w.-]{1,128}$/.test(stream))
  );
}

function isClientOption(option: unknown): boolean {
  return option === undefined || (typeof option === 'object' && option !== null);
}

function isRegion(region: unknown): region is string {
  return typeof region === 'string' && /^[a-z0-9-]{1,63}$/.test(region);
}
