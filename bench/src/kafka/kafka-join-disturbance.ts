// Whom a newcomer disturbs, on a broker: sixteen partitions are led by four member processes, a fifth joins, and every term that
// begins until all is quiet again is counted. Then it leaves, and the next joins. Beside it a fifth member joins four of goNELI, where
// there is one partition that counts, and the time that it is without a leader is measured.
//
// The baseline is the number of terms that have to change: the newcomer's fair share, as each of its partitions gets a new leader.
import { besideGoneli, type GoneliSide } from '../goneli/beside.ts';
import { goneliJoins } from '../goneli/joins.ts';
import { median, quantile } from '../measure/statistics.ts';
import type { Report } from '../report/figures.ts';
import { significant } from '../report/significant.ts';
import { type Ground, openGround } from './ground.ts';
import { type Member, startMember } from './member.ts';
import { leaderlessMs, seatsOf } from './seats.ts';

/** How often, and under which T. */
export interface KafkaJoinDisturbanceOptions {
  readonly runs: number;
  readonly thresholdMs: number;
}

const partitions = 16;
const members = 4;
/** Three with sixteen partitions and five members: four of the five have three, and one has four. */
const share = Math.floor(partitions / (members + 1));
/** A partition changes hands at most once in 2 T (L9): what has not moved after that is not about to. In T. */
const quietThresholds = 2.5;

/** Runs it. */
export async function kafkaJoinDisturbance(options: KafkaJoinDisturbanceOptions): Promise<Report> {
  await using ground = await openGround();
  const { ours, side } = await besideGoneli(ground, goneliJoins, () => joins(ground, options));
  return report(ground, ours, side);
}

interface Joins {
  /** Terms that began, join by join. */
  readonly terms: readonly number[];
  /** How long the partitions that moved had no leader, each. Milliseconds. */
  readonly gapsMs: readonly number[];
  /** Leases that ended before their holders let go: it was the machine that was too busy, then, and not the newcomer. */
  readonly lapses: number;
}

async function joins({ brokers, named }: Ground, { runs, thresholdMs }: KafkaJoinDisturbanceOptions): Promise<Joins> {
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
  member.tell({ kind: 'close' });
  await closed;
  await member.kill();
}

function report(ground: Ground, { terms, gapsMs, lapses }: Joins, { peers, notes }: GoneliSide): Report {
  const [p50, p99] = [median(terms), quantile(terms, 0.99)];
  const figures = { name: 'kafka-join-disturbance', unit: 'terms', runs: terms.length, p50, p99, baseline: share } as const;
  const beyond = terms.reduce((sum, count) => sum + count - share, 0);
  const gaps = `p50 ${significant(median(gapsMs))} ms, p99 ${significant(quantile(gapsMs, 0.99))} ms`;
  return {
    figures: { ...figures, ratio: p99 / share, limit: 1, better: 'lower' },
    against: `the terms that had to change: the newcomer's share of ${partitions} partitions, ${members} → ${members + 1} members; ${ground.name}`,
    notes: [
      `terms that changed beyond those, in all joins: ${beyond}; leases that lapsed under a busy holder: ${lapses}`,
      `what moved had no leader for ${gaps}`,
      ...notes,
    ],
    peers,
  };
}
