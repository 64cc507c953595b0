// Measures how many terms a joining member ends. Four member processes lead sixteen partitions. A
// fifth member joins, and the benchmark counts the terms that begin until the group is stable again.
// Then the fifth member leaves, and the next one joins. At the same time, a fifth member joins four
// goNELI members. goNELI elects a leader for one partition, so there the benchmark measures the time
// without a leader.
//
// The baseline is the number of terms that have to change: the fair share of the joining member.
import type { SpawnedMember } from '@leadership/testkit/faults';
import { startMember } from '../backends/backend.ts';
import { kafka, type OpenKafka } from '../backends/kafka.ts';
import { median, quantile } from '../measure/statistics.ts';
import { besideGoneli, goneliJoins } from '../peers/goneli.ts';
import { figuresOf, type Report, type Runs } from '../report/figures.ts';
import { significant } from '../report/significant.ts';
import { leadersOf, spread } from './leaders.ts';

const partitions = 16;
const members = 4;
/**
 * The greatest fair share of the fifth member: four. Of five members, four lead three partitions each,
 * and one leads four.
 */
const share = Math.ceil(partitions / (members + 1));
/** Runs the benchmark. */
export async function joinDisturbance(options: Runs): Promise<Report> {
  await using open = await kafka.open({ members: members + 1 });
  const { ours, peers, notes } = await besideGoneli(open, goneliJoins, () => joins(open, options));
  const { terms, gapsMs, lapses } = ours;
  const beyond = terms.reduce((sum, count) => sum + Math.max(0, count - share), 0);
  const gaps = `p50 ${significant(median(gapsMs))} ms, p99 ${significant(quantile(gapsMs, 0.99))} ms`;
  return {
    figures: figuresOf(terms, {
      name: 'kafka-join-disturbance',
      unit: 'terms',
      baseline: share,
      limit: 1,
      by: 'p99',
    }),
    against: `the share of a fifth member of ${partitions} partitions; ${open.place}`,
    notes: [
      `terms that changed in addition, over all joins: ${beyond}; leases that expired under a busy holder: ${lapses}`,
      `partitions that moved had no leader for ${gaps}`,
      ...notes,
    ],
    peers,
  };
}

interface Joins {
  /** The number of terms that began, per join. */
  readonly terms: readonly number[];
  /** How long each partition that moved had no leader, in milliseconds. */
  readonly gapsMs: readonly number[];
  /**
   * The number of leases that expired under their holder. The cause is a busy machine, not the
   * joining member.
   */
  readonly lapses: number;
}

async function joins(open: OpenKafka, { runs, thresholdMs }: Runs): Promise<Joins> {
  // The events of a member that has left are part of the history.
  const started: SpawnedMember[] = [];
  const join = async (member: string): Promise<SpawnedMember> => {
    const joining = await startMember(open, { group: 'joins', member, thresholdMs, partitions });
    started.push(joining);
    return joining;
  };
  const settled = (size: number): Promise<void> =>
    spread(started, { partitions, members: size }, thresholdMs);
  const found = [];
  try {
    while (started.length < members) await join(`m${started.length + 1}`);
    await settled(members);
    for (let run = 0; run < runs; run += 1) {
      const sinceNs = process.hrtime.bigint();
      const newcomer = await join(`newcomer-${run + 1}`);
      await settled(members + 1);
      found.push(leadersOf(started, sinceNs));
      await newcomer.close();
      await settled(members);
    }
  } finally {
    await Promise.all(started.map((member) => member.kill()));
  }
  return {
    terms: found.map(({ terms }) => terms),
    gapsMs: found.flatMap(({ gapsMs }) => gapsMs),
    lapses: found.reduce((sum, { fenced }) => sum + fenced, 0),
  };
}
