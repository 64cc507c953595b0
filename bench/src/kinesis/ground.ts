import { type AwsProxy, type AwsServer, awsProxy, openAws } from '@leadership/tools/aws';
import { type Member, type MemberInput, startMember, type Way } from './member.ts';
import { openRoundTrips, type RoundTrips } from './round-trips.ts';

/** A table and a stream to measure on, each behind a proxy that counts; the stream's answers five readings a second for each shard, as AWS does. */
export interface Ground extends AsyncDisposable {
  /** In words. */
  readonly name: string;
  /** Starts a member, over lines of its own that have its name. */
  start(options: GroundMember): Member;
  /** How many requests members of these names have made: of the table, and of the stream. */
  asked(members: readonly string[]): Asked;
  /** Bare writes over a line of their own. */
  readonly trips: RoundTrips;
}

/** Requests so far. */
export interface Asked {
  readonly reads: number;
  readonly writes: number;
  readonly stream: number;
}

/** A member to be. */
interface GroundMember extends Pick<MemberInput, 'group' | 'member' | 'thresholdMs' | 'partitions'> {
  /** Whether members wake one another. */
  readonly wakes: boolean;
}

/** Opens both. */
export async function openGround(): Promise<Ground> {
  const aws = await openAws({ shards: 1 });
  const [tables, streams] = await Promise.all([awsProxy({ target: aws.tables.url }), awsProxy({ target: aws.streams.url })]);
  const trips = await openRoundTrips(wayTo(tables.line('bare'), aws.tables));
  const table = `bench-${crypto.randomUUID()}`;
  return {
    name: `${aws.name}, each behind a proxy`,
    trips,
    start: ({ wakes, ...options }) =>
      startMember({
        ...options,
        table,
        ...(wakes && { stream: aws.stream }),
        tables: wayTo(tables.line(options.member), aws.tables),
        streams: wayTo(streams.line(options.member), aws.streams),
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
    members.flatMap((member) => operations.map((operation) => proxy.counts(member).get(operation) ?? 0)).reduce((a, b) => a + b, 0);
  return {
    reads: sum(tables, 'Query'),
    writes: sum(tables, 'PutItem', 'DeleteItem'),
    stream: sum(streams, 'GetRecords', 'PutRecords'),
  };
}

function wayTo(endpoint: string, { environment }: AwsServer): Way {
  const { AWS_REGION: region = '', AWS_ACCESS_KEY_ID: accessKeyId = '', AWS_SECRET_ACCESS_KEY: secretAccessKey = '' } = environment;
  return { endpoint, region, credentials: { accessKeyId, secretAccessKey } };
}
