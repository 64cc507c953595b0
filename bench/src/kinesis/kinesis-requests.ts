// Counts the requests of idle groups on a DynamoDB table, with a stream that notifies the members.
// A proxy counts the requests of every member. docs/reference/dynamodb.md documents the rates.
import type { Report } from '../report/figures.ts';
import { type GroupSize, type IdleRequestsOptions, idleRequests } from '../rows/idle-requests.ts';
import type { MemberOptions } from '../rows/store.ts';
import { openEnvironment } from './environment.ts';

/** Intervals are up to a tenth shorter, and a repeated write costs an additional read. */
const limit = 1.25;
/** The reads per second that a shard serves. */
const readingsASecond = 5;

/** Runs the benchmark. */
export async function kinesisRequests(options: IdleRequestsOptions): Promise<Report> {
  await using environment = await openEnvironment();
  const counted = {
    name: 'kinesis-requests',
    server: environment.name,
    words: { reads: 'queries', writes: 'writes', stream: 'stream reads' },
    documented: ({ partitions, members }: GroupSize) => ({
      reads: 4 * members,
      writes: 3 * partitions + members,
      stream: (readingsASecond * options.thresholdMs) / 1000,
    }),
    start: (member: MemberOptions) => environment.start({ ...member, wakes: true }),
    count: (members: readonly string[]) => Promise.resolve(environment.asked(members)),
  };
  return await idleRequests(counted, options, limit);
}
