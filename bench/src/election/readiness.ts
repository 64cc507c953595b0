// The time until sixty members are ready that start at once on DynamoDB, with a stream of one shard
// and without. The shard serves five reads a second, as AWS does, so reading must not delay the
// election. The baseline is the time without the stream, in the same run, plus T/4: so long a
// member waits for the answer that the stream is missing or denied, which refuses the source
// (decision 0043).
import { type MemberEvent, spawnMember } from '@leadership/testkit/faults';
import { type OpenBackend, startMember } from '../backends/backend.ts';
import { kinesis } from '../backends/kinesis.ts';
import { msBetween } from '../measure/ms-between.ts';
import { median } from '../measure/statistics.ts';
import { figuresOf, type Report, type Runs } from '../report/figures.ts';

/** The number of members, of runs in each way, and T. */
export interface ReadinessOptions extends Runs {
  readonly members: number;
}

/** Half as much again is noise on two cores that run all members and both servers. */
const limit = 1.5;
/** The time in which all members have to be ready. Milliseconds. */
const timeoutMs = 120_000;

/** Runs the benchmark. */
export async function readiness({ members, runs, thresholdMs }: ReadinessOptions): Promise<Report> {
  await using open = await kinesis.open({ members });
  const [alone, listening]: [number[], number[]] = [[], []];
  for (let run = 0; run < runs; run += 1) {
    alone.push(await readyMs(open.alone, `alone-${run}`, { members, thresholdMs }));
    listening.push(await readyMs(open, `crowd-${run}`, { members, thresholdMs }));
  }
  const baseline = median(alone) + thresholdMs / 4;
  return {
    figures: figuresOf(listening, {
      name: 'kinesis-crowd',
      unit: 'ms',
      baseline,
      limit,
      by: 'p50',
    }),
    against: `${median(alone).toFixed(0)} ms without a stream, and T/4; ${members} members, all but one in one process; T ${thresholdMs} ms; ${open.place}`,
    notes: [],
  };
}

/** Starts one member, and once it is ready all others in another process. */
async function readyMs(
  open: OpenBackend,
  group: string,
  { members, thresholdMs }: Omit<ReadinessOptions, 'runs'>,
): Promise<number> {
  const options = { thresholdMs, partitions: 1 };
  await using _first = await startMember(open, { group, member: 'm0', ...options });
  const [member = '', ...beside] = Array.from({ length: members - 1 }, (_, at) => `m${at + 1}`);
  const { url, env } = open.address(group, 'crowd');
  await using others = await spawnMember(
    { url, beside, options: { ...options, member }, work: { kind: 'none' } },
    env,
  );
  const ready = (): readonly MemberEvent[] => others.events.filter(({ kind }) => kind === 'ready');
  await others.until(() => ready().length === members - 1, timeoutMs);
  return msBetween(others.events[0]?.atNs ?? 0n, ready().at(-1)?.atNs ?? 0n);
}
