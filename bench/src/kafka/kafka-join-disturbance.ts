// Measures how many terms a joining member ends, on a broker. Four member processes lead sixteen
// partitions. A fifth member joins, and the benchmark counts the terms that begin until the group
// is stable again. Then the fifth member leaves, and the next one joins. At the same time, a fifth
// member joins four goNELI members. goNELI elects a leader for one partition, so there the
// benchmark measures the time without a leader.
//
// The baseline is the number of terms that have to change: the fair share of the joining member.

import { goneliJoins } from '../goneli/joins.ts';
import { type GoneliResults, measureBesideGoneli } from '../goneli/measure-beside.ts';
import { median, quantile } from '../measure/statistics.ts';
import type { Report } from '../report/figures.ts';
import { significant } from '../report/significant.ts';
import { type Environment, openEnvironment } from './environment.ts';
import { leaderlessMs, trackLeaders } from './leader-tracker.ts';
import { type Member, startMember } from './member.ts';

/** The number of runs, and T. */
export interface KafkaJoinDisturbanceOptions {
  readonly runs: number;
  readonly thresholdMs: number;
}

const partitions = 16;
const members = 4;
/**
 * The fair share of the fifth member: three. Of five members, four lead three partitions each, and
 * one leads four.
 */
const share = Math.floor(partitions / (members + 1));
/**
 * How long the group must be unchanged to count as stable, in multiples of T. A partition changes
 * hands at most once in 2 T (L9).
 */
const quietThresholds = 2.5;

/** Runs the benchmark. */
export async function kafkaJoinDisturbance(options: KafkaJoinDisturbanceOptions): Promise<Report> {
  await using environment = await openEnvironment();
  const { ours, side } = await measureBesideGoneli(environment, goneliJoins, () =>
    joins(environment, options),
  );
  return report(environment, ours, side);
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

async function joins(
  { brokers, named }: Environment,
  { runs, thresholdMs }: KafkaJoinDisturbanceOptions,
): Promise<Joins> {
  const topic = named('joins');
  const leaders = trackLeaders(partitions);
  const present: Member[] = [];
  const join = async (member: string): Promise<Member> => {
    const joining = startMember({ brokers, topic, member, thresholdMs, partitions });
    present.push(joining);
    leaders.track(joining);
    await joining.next('ready');
    return joining;
  };
  const settled = (): Promise<void> =>
    leaders.settled(present.length, quietThresholds * thresholdMs);
  const terms: number[] = [];
  const gapsMs: number[] = [];
  let lapses = 0;
  try {
    while (present.length < members) await join(`m${present.length + 1}`);
    await settled();
    for (let run = 0; run < runs; run += 1) {
      leaders.takeChanges();
      const newcomer = await join(`newcomer-${run + 1}`);
      await settled();
      const changes = leaders.takeChanges();
      terms.push(changes.filter(({ kind }) => kind === 'leading').length);
      gapsMs.push(...leaderlessMs(changes));
      lapses += changes.filter(({ kind }) => kind === 'fenced').length;
      await leave(newcomer);
      present.pop();
      await settled();
    }
  } finally {
    await Promise.all(present.map((member) => member.kill()));
  }
  return { terms, gapsMs, lapses };
}

async function leave(member: Member): Promise<void> {
  const closed = member.next('closed');
  member.send({ kind: 'close' });
  await closed;
  await member.kill();
}

function report(
  environment: Environment,
  { terms, gapsMs, lapses }: Joins,
  { peers, notes }: GoneliResults,
): Report {
  const [p50, p99] = [median(terms), quantile(terms, 0.99)];
  const figures = {
    name: 'kafka-join-disturbance',
    unit: 'terms',
    runs: terms.length,
    p50,
    p99,
    baseline: share,
  } as const;
  const beyond = terms.reduce((sum, count) => sum + count - share, 0);
  const gaps = `p50 ${significant(median(gapsMs))} ms, p99 ${significant(quantile(gapsMs, 0.99))} ms`;
  return {
    figures: { ...figures, ratio: p99 / share, limit: 1, better: 'lower' },
    against: `the terms that had to change: the newcomer's share of ${partitions} partitions, ${members} → ${members + 1} members; ${environment.name}`,
    notes: [
      `terms that changed in addition, over all joins: ${beyond}; leases that expired under a busy holder: ${lapses}`,
      `partitions that moved had no leader for ${gaps}`,
      ...notes,
    ],
    peers,
  };
}
