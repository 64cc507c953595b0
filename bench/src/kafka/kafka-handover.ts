// How long an orderly hand-over takes, on a broker: of two member processes the leader is told to resign, without work to drain, and
// the time runs from the call of `resign()` until the other process calls its subscriber with `leading`. One that has resigned
// leaves the partition alone for 2 T (L9): so long is waited before it goes back. Beside it leaders of goNELI close.
//
// The baseline is one round trip: a record that is produced by one connection and fetched by another, measured before each hand-over.
import { setTimeout as pause } from 'node:timers/promises';
import { besideGoneli, type GoneliSide } from '../goneli/beside.ts';
import { goneliCloses } from '../goneli/outages.ts';
import { median, quantile } from '../measure/statistics.ts';
import { abstainsThresholds, type Exchange, handOvers } from '../process/hand-overs.ts';
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

/** Runs it. */
export async function kafkaHandover(options: KafkaHandoverOptions): Promise<Report> {
  await using ground = await openGround();
  const { ours, side } = await besideGoneli(ground, goneliCloses, () => measured(ground, options));
  return report(ground, ours, side);
}

interface HandOvers {
  readonly ms: readonly number[];
  readonly trips: readonly number[];
}

async function measured(ground: Ground, { runs, thresholdMs }: KafkaHandoverOptions): Promise<HandOvers> {
  await using echo = await openEcho(ground);
  const topic = ground.named('handover');
  const trips: number[] = [];
  const exchange: Exchange<Member> = {
    start: (member) => startMember({ brokers: ground.brokers, topic, member, thresholdMs, partitions: 1 }),
    async rest() {
      await pause(abstainsThresholds * thresholdMs);
      trips.push(...(await echo.roundTrips(tripsPerRun)));
    },
  };
  return { ms: await handOvers(exchange, runs), trips };
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
