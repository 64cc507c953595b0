import type { DynamoDBClient, DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import type { KinesisClient, KinesisClientConfig } from '@aws-sdk/client-kinesis';
import { LeadershipError, type SourceOptions } from '@leadership/core';
import type { LeadershipAddress, Parameters } from '@leadership/core/backend';
import { checkElection, type Election } from './election.ts';
import { keys, reservedAttributes } from './layout.ts';
import { differenceOf, type NamedRegion, regionOfArn, regionsOfConfig } from './regions.ts';

/** What {@link kinesisLeadership} takes. */
export interface KinesisOptions extends SourceOptions {
  /** The members that contend for the same roles. */
  readonly group: string;
  /** The table's name, or its ARN. Its keys are two texts: `group` (hash) and `item` (range), unless `hashKey` and `rangeKey` say otherwise. Many groups may share one. */
  readonly table: string;
  /** The name of the table's hash key, a text. The same for all members. Default `group`. */
  readonly hashKey?: string;
  /** The name of the table's range key, a text. The same for all members. Default `item`. */
  readonly rangeKey?: string;
  /** Default: what the client finds, as in `AWS_REGION`. Members in two regions elect two leaders. */
  readonly region?: string;
  /** A ready client, or what one is made with. Default: what the environment says. */
  readonly dynamodb?: DynamoDBClient | DynamoDBClientConfig;
  /**
   * The name or ARN of a stream over which members wake one another: a hand-over need not wait then until the successor looks again.
   * Best one of its own. Many groups may share one.
   */
  readonly stream?: string;
  /** A ready client for the stream, or what one is made with. Default: what the environment says. */
  readonly kinesis?: KinesisClient | KinesisClientConfig;
  /** Whether a member makes the table where it is missing. Default `false`: a table in the wrong region is no way to find out. */
  readonly create?: boolean;
  /** The one region in which all members of the group use a global table: without it, one is refused. */
  readonly homeRegion?: string;
  /**
   * `exclusive`: never two leaders (L). `continuous`: never leaderless rather than never two (I): who holds a lease in the table should
   * lead, and beats on the stream say whether that is still current, so it needs a stream. Default `exclusive`.
   */
  readonly guarantee?: 'exclusive' | 'continuous';
  /** `continuous` only: how long a lease is kept for a member that is silent. Less than `thresholdMs`. Milliseconds. Default T/3. */
  readonly leaseMs?: number;
  /** `continuous` only: so many members read the stream at most. The more there are, the less often each may. Default 4. */
  readonly membersMax?: number;
}

/** What a URL's query may say. */
export const parameters: Parameters = {
  table: 'string',
  hashKey: 'string',
  rangeKey: 'string',
  create: 'boolean',
  homeRegion: 'string',
  guarantee: 'string',
  leaseMs: 'number',
  membersMax: 'number',
};

/** The options of the backend itself, checked. */
export interface PlaceOptions
  extends Pick<KinesisOptions, 'table' | 'hashKey' | 'rangeKey' | 'region' | 'dynamodb' | 'homeRegion' | 'stream' | 'kinesis'> {
  readonly create: boolean;
  readonly election: Election;
}

/**
 * Checks what can be checked without a network.
 * @throws LeadershipError `invalid-options`
 */
export function checkPlace(options: Partial<KinesisOptions>): PlaceOptions {
  const { table, hashKey, rangeKey, region, homeRegion, create = false, dynamodb, stream, kinesis } = options;
  check(
    isTable(table),
    `table ${JSON.stringify(table)} must be the name or ARN of a DynamoDB table, as in kinesis://eu-west-1?group=billing&table=leases`,
  );
  check(isKeyName(hashKey), `hashKey ${JSON.stringify(hashKey)} must be the name of the table's hash key, and none of ${reserved}`);
  check(isKeyName(rangeKey), `rangeKey ${JSON.stringify(rangeKey)} must be the name of the table's range key, and none of ${reserved}`);
  check(
    (hashKey ?? keys.group) !== (rangeKey ?? keys.item),
    `hashKey and rangeKey must differ, and both are ${JSON.stringify(hashKey ?? rangeKey)}`,
  );
  check(region === undefined || isRegion(region), `region ${JSON.stringify(region)} must be one of AWS, as eu-west-1`);
  check(homeRegion === undefined || isRegion(homeRegion), `homeRegion ${JSON.stringify(homeRegion)} must be a region of AWS, as eu-west-1`);
  check(typeof create === 'boolean', `create ${JSON.stringify(create)} must be true or false`);
  check(isClientOption(dynamodb), 'dynamodb must be a DynamoDBClient, or what one is made with');
  check(stream === undefined || isStream(stream), `stream ${JSON.stringify(stream)} must be the name or ARN of a Kinesis stream`);
  check(isClientOption(kinesis), 'kinesis must be a KinesisClient, or what one is made with');
  check(kinesis === undefined || stream !== undefined, 'kinesis is given, and no stream: name one, or leave it out');
  checkRegions(options);
  const own = { table, create, election: checkElection(options) };
  return { ...own, ...defined({ hashKey, rangeKey, region, homeRegion, dynamodb, kinesis, stream }) };
}

/** All regions that can be seen here must be one. */
function checkRegions({ table, region, homeRegion, dynamodb, stream, kinesis }: Partial<KinesisOptions>): void {
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

/** What is given, without what is not. */
function defined<Options extends object>(options: Options): { [Name in keyof Options]?: Exclude<Options[Name], undefined> } {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as { [Name in keyof Options]?: Exclude<Options[Name], undefined> };
}

/** The region that the options or the URL name, if they do. */
export function namedRegion({ region }: { readonly region?: string | undefined }): readonly NamedRegion[] {
  return region === undefined ? [] : [{ by: 'the option or URL', region }];
}

/**
 * Beside a stream M has to be said, or counted.
 * @throws LeadershipError `invalid-options`
 */
export function checkCounted({ stream }: PlaceOptions, partitions: number | undefined): void {
  check(
    stream === undefined || partitions !== undefined,
    'partitions must be given beside a stream, or be counted: openKinesisLeadership, and openLeadership, take the open shards of the stream',
  );
}

/**
 * The region and the stream that `kinesis://REGION/STREAM` names.
 * Without a region the client finds one, as in `AWS_REGION`.
 * @throws LeadershipError `invalid-options` where it names more than that
 */
export function placeIn({ hosts, path }: LeadershipAddress): Pick<KinesisOptions, 'region' | 'stream'> {
  const [region, ...others] = hosts;
  check(
    others.length === 0 && (path === '' || path.startsWith('/')),
    'a kinesis URL names one region, kinesis://eu-west-1/orders?group=billing&table=leases, or leaves it to AWS_REGION, kinesis:///orders?group=billing&table=leases',
  );
  const stream = path.replace(/^\//, '');
  return { ...(region !== undefined && { region }), ...(stream !== '' && { stream }) };
}

function isTable(table: unknown): table is string {
  return (
    typeof table === 'string' && (/^[\w.-]{3,255}$/.test(table) || /^arn:aws[\w-]*:dynamodb:[\w-]+:\d+:table\/[\w.-]{3,255}$/.test(table))
  );
}

const reserved = reservedAttributes.join(', ');

function isKeyName(name: unknown): boolean {
  return name === undefined || (typeof name === 'string' && name.length > 0 && name.length <= 255 && !reservedAttributes.includes(name));
}

function isStream(stream: unknown): boolean {
  return (
    typeof stream === 'string' &&
    (/^[\w.-]{1,128}$/.test(stream) || /^arn:aws[\w-]*:kinesis:[\w-]+:\d+:stream\/[\w.-]{1,128}$/.test(stream))
  );
}

function isClientOption(option: unknown): boolean {
  return option === undefined || (typeof option === 'object' && option !== null);
}

function isRegion(region: unknown): region is string {
  return typeof region === 'string' && /^[a-z0-9-]{1,63}$/.test(region);
}

function check(holds: boolean, sentence: string): asserts holds {
  if (!holds) throw new LeadershipError('invalid-options', sentence);
}
