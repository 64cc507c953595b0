import { type AwsProxy, type AwsServer, awsProxy, openAws } from '@leadership/tools/aws';
import { openRoundTrips, type RoundTrips } from './echo.ts';
import { type Endpoint, type Member, type MemberInput, startMember } from './member.ts';

/**
 * A table and a stream to measure on, each behind a proxy that counts requests. Like AWS, the
 * stream serves five reads a second per shard.
 */
export interface Environment extends AsyncDisposable {
  /** A description for the table. */
  readonly name: string;
  /**
   * Starts a member. Its connections through the proxies carry its name, so that its requests are
   * counted separately.
   */
  start(options: GroundMember): Member;
  /** Returns the number of requests that these members have made so far. */
  asked(members: readonly string[]): Asked;
  /** Measures bare writes, over a separate connection. */
  readonly trips: RoundTrips;
}

/** Numbers of requests: reads and writes of the table, and requests to the stream. */
interface Asked {
  readonly reads: number;
  readonly writes: number;
  readonly stream: number;
}

/** The options of a member. */
interface GroundMember
  extends Pick<MemberInput, 'group' | 'member' | 'thresholdMs' | 'partitions'> {
  /** Whether members notify each other over the stream. */
  readonly wakes: boolean;
}

/** Opens the table, the stream and their proxies. */
export async function openEnvironment(): Promise<Environment> {
  const aws = await openAws({ shards: 1 });
  const [tables, streams] = await Promise.all([
    awsProxy({ target: aws.tables.url }),
    awsProxy({ target: aws.streams.url }),
  ]);
  const trips = await openRoundTrips(endpointOf(tables.line('bare'), aws.tables));
  const table = `bench-${crypto.randomUUID()}`;
  return {
    name: `${aws.name}, each behind a proxy`,
    trips,
    start: ({ wakes, ...options }) =>
      startMember({
        ...options,
        table,
        ...(wakes && { stream: aws.stream }),
        tables: endpointOf(tables.line(options.member), aws.tables),
        streams: endpointOf(streams.line(options.member), aws.streams),
      }),
    asked: (members) => asked(tables, streams, members),
    async [Symbol.asyncDispose]() {
      trips[Symbol.dispose]();
      await Promise.all([tables[Symbol.asyncDispose](), streams[Symbol.asyncDispose]()]);
      await aws[Symbol.asyncDispose]();
    },
  };
}

function asked(tables: AwsProxy, streams: AwsProxy, members: readonly string[]): Asked {
  const sum = (proxy: AwsProxy, ...operations: readonly string[]): number =>
    members
      .flatMap((member) => operations.map((operation) => proxy.counts(member).get(operation) ?? 0))
      .reduce((a, b) => a + b, 0);
  return {
    reads: sum(tables, 'Query'),
    writes: sum(tables, 'PutItem', 'DeleteItem'),
    stream: sum(streams, 'GetRecords', 'PutRecords'),
  };
}

/** How a client reaches that server at `endpoint`. */
export function endpointOf(endpoint: string, { environment }: AwsServer): Endpoint {
  const {
    AWS_REGION: region = '',
    AWS_ACCESS_KEY_ID: accessKeyId = '',
    AWS_SECRET_ACCESS_KEY: secretAccessKey = '',
  } = environment;
  return { endpoint, region, credentials: { accessKeyId, secretAccessKey } };
}
