// Measures how many terms a joining member ends, on a broker. Four member processes lead sixteen
// partitions. A fifth member joins, and the benchmark counts the terms that begin until the group
// is stable again. Then the fifth member leaves, and the next one joins. At the same time, a fifth
// member joins four goNELI members. goNELI elects a leader for one partition, so there the
// benchmark measures the time without a leader.
//
// The baseline is the number of terms that have to change: the fair share of the joining member.
import { besideGoneli, type GoneliSide } from '../goneli/beside.ts';
import { goneliJoins } from '../goneli/joins.ts';
import { median, quantile } from '../measure/statistics.ts';
import type { Report } from '../report/figures.ts';
import { significant } from '../report/significant.ts';
import { type Ground, openGround } from './ground.ts';
import { type Member, startMember } from './member.ts';
import { leaderlessMs, seatsOf } from './seats.ts';

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
  await using ground = await openGround();
  const { ours, side } = await besideGoneli(ground, goneliJoins, () => joins(ground, options));
  return report(ground, ours, side);
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
  { brokers, named }: Ground,
  { runs, thresholdMs }: KafkaJoinDisturbanceOptions,
): Promise<Joins> {
  const topic = named('joins');
  const seats = seatsOf(partitions);
  const there: Member[] = [];
  const come = async (member: string): Promise<Member> => {
    const comer = startMember({ brokers, topic, member, thresholdMs, partitions });
    there.push(comer);
    seats.attend(comer);
    await comer.next('ready');
    return comer;
  };
  const settled = (): Promise<void> => seats.settled(there.length, quietThresholds * thresholdMs);
  const terms: number[] = [];
  const gapsMs: number[] = [];
  let lapses = 0;
  try {
    while (there.length < members) await come(`m${there.length + 1}`);
    await settled();
    for (let run = 0; run < runs; run += 1) {
      seats.takeChanges();
      const newcomer = await come(`newcomer-${run + 1}`);
      await settled();
      const changes = seats.takeChanges();
      terms.push(changes.filter(({ kind }) => kind === 'leading').length);
      gapsMs.push(...leaderlessMs(changes));
      lapses += changes.filter(({ kind }) => kind === 'fenced').length;
      await leave(newcomer);
      there.pop();
      await settled();
    }
  } finally {
    await Promise.all(there.map((member) => member.kill()));
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
  ground: Ground,
  { terms, gapsMs, lapses }: Joins,
  { peers, notes }: GoneliSide,
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
    against: `the terms that had to change: the newcomer's share of ${partitions} partitions, ${members} → ${members + 1} members; ${ground.name}`,
    notes: [
      `terms that changed in addition, over all joins: ${beyond}; leases that expired under a busy holder: ${lapses}`,
      `partitions that moved had no leader for ${gaps}`,
      ...notes,
    ],
    peers,
  };
}
