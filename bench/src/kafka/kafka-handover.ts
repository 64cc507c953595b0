// How long an orderly hand-over takes, on a broker: of two member processes the leader is told to resign, without work to drain, and
// the time runs from the call of `resign()` until the other process calls its subscriber with `leading`. One that has resigned
// leaves the partition alone for 2 T (L9): so long is waited before it goes back. Beside it leaders of goNELI close.
//
// The baseline is one round trip: a record that is produced by one connection and fetched by another, measured before each hand-over.
import { setTimeout as pause } from 'node:timers/promises';
import { besideGoneli, type GoneliSide } from '../goneli/beside.ts';
import { goneliCloses } from '../goneli/outages.ts';
import { msBetween } from '../measure/ms-between.ts';
import { median, quantile } from '../measure/statistics.ts';
import type { Report } from '../report/figures.ts';
import { openEcho } from './echo.ts';
import { type Ground, openGround } from './ground.ts';
import { type Member, startMember } from './member.ts';

/** How often, and under which T. */
export interface KafkaHandoverOptions {
  readonly runs: number;
  readonly thresholdMs: number;
}

/** What half of the hand-overs are to stay within. Round trips. */
const tripsMax = 3;
/** Round trips before each hand-over: after the same rest, in which caches have cooled for both. */
const tripsPerRun = 1;
/** How long one that has resigned abstains, and a little more for its timers. In T. */
const abstainsThresholds = 2.2;

/** Runs it. */
export async function kafkaHandover(options: KafkaHandoverOptions): Promise<Report> {
  await using ground = await openGround();
  const { ours, side } = await besideGoneli(ground, goneliCloses, () => handOvers(ground, options));
  return report(ground, ours, side);
}

interface HandOvers {
  readonly ms: readonly number[];
  readonly trips: readonly number[];
}

async function handOvers(ground: Ground, { runs, thresholdMs }: KafkaHandoverOptions): Promise<HandOvers> {
  await using echo = await openEcho(ground);
  const topic = ground.named('handover');
  const start = (member: string): Member => startMember({ brokers: ground.brokers, topic, member, thresholdMs, partitions: 1 });
  await using a = start('a');
  await a.next('leading');
  await using b = start('b');
  await b.next('ready');
  const ms: number[] = [];
  const trips: number[] = [];
  for (let run = 0, leader = a, other = b; run < runs; run += 1, [leader, other] = [other, leader]) {
    await pause(abstainsThresholds * thresholdMs);
    trips.push(...(await echo.roundTrips(tripsPerRun)));
    ms.push(await handOver(leader, other));
  }
  return { ms, trips };
}

async function handOver(leader: Member, other: Member): Promise<number> {
  const both = Promise.all([leader.next('resigning'), other.next('leading')]);
  leader.tell({ kind: 'resign' });
  const [resigning, leading] = await both;
  return msBetween(resigning.atNs, leading.atNs);
}

function report(ground: Ground, { ms, trips }: HandOvers, { peers, notes }: GoneliSide): Report {
  const [p50, p99, baseline] = [median(ms), quantile(ms, 0.99), median(trips)];
  const figures = { name: 'kafka-handover', unit: 'ms', runs: ms.length, p50, p99, baseline, ratio: p50 / baseline } as const;
  return {
    figures: { ...figures, limit: tripsMax, better: 'lower' },
    against: `one record produced and fetched; ${ground.name}`,
    notes: [`p99 / baseline ${(p99 / baseline).toFixed(2)}; the slowest round trip ${quantile(trips, 1).toFixed(2)} ms`, ...notes],
    peers,
  };
}
