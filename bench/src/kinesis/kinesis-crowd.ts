// The time until sixty members are ready that start at once on DynamoDB, with a stream of one shard
// and without. The shard serves five reads a second, as AWS does, so reading must not delay the
// election. The baseline is the time without the stream, in the same run, plus T/4: so long a
// member waits for the answer that the stream is missing or denied, which refuses the source
// (decision 0016).
import { kinesisLeadership } from '@leadership/kinesis';
import { awsProxy, openAws } from '@leadership/tools/aws';
import { median } from '../measure/statistics.ts';
import type { Report } from '../report/figures.ts';
import { endpointOf } from './environment.ts';

/** The number of members, of runs in each way, and T. */
export interface KinesisFleetOptions {
  readonly members: number;
  readonly runs: number;
  readonly thresholdMs: number;
}

/** Half as much again is noise on two cores that run all members and both servers. */
const limit = 1.5;

/** Runs the benchmark. */
export async function kinesisFleet({
  members,
  runs,
  thresholdMs,
}: KinesisFleetOptions): Promise<Report> {
  await using aws = await openAws({ shards: 1 });
  await using tables = await awsProxy({ target: aws.tables.url });
  await using streams = await awsProxy({ target: aws.streams.url });
  const dynamodb = endpointOf(tables.line('crowd'), aws.tables);
  const listening = { stream: aws.stream, kinesis: endpointOf(streams.line('crowd'), aws.streams) };
  const readyMs = async (isListening: boolean): Promise<number> => {
    const table = `bench-${crypto.randomUUID()}`;
    const place = { table, create: true, dynamodb, ...(isListening && listening) };
    const open = (index: number) =>
      kinesisLeadership({
        ...place,
        group: 'crowd',
        member: `m${index}`,
        partitions: 1,
        thresholdMs,
      });
    const first = open(0);
    await first.ready();
    const beganAt = performance.now();
    const others = Array.from({ length: members - 1 }, (_, index) => open(index + 1));
    await Promise.all(others.map((source) => source.ready()));
    const ms = performance.now() - beganAt;
    await Promise.all([first, ...others].map((source) => source.close()));
    return ms;
  };
  const [alone, beside]: [number[], number[]] = [[], []];
  for (let run = 0; run < runs; run += 1) {
    alone.push(await readyMs(false));
    beside.push(await readyMs(true));
  }
  const [baseline, p50] = [median(alone) + thresholdMs / 4, median(beside)];
  return {
    figures: {
      name: 'kinesis-crowd',
      unit: 'ms',
      runs,
      p50,
      p99: Math.max(...beside),
      baseline,
      ratio: p50 / baseline,
      limit,
      better: 'lower',
    },
    against: `${median(alone).toFixed(0)} ms without a stream, and T/4; ${members} members in one process; T ${thresholdMs} ms; ${aws.name}, each behind a proxy`,
    notes: [],
  };
}
