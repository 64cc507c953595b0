// Measures an orderly hand-over on Redis. Of two member processes, the leader resigns without work
// to drain. The time runs from the call of `resign()` until the other process calls its subscriber
// with `leading`. A member that has resigned does not claim the partition for 2 T (L9), so the
// benchmark waits that long between hand-overs.
//
// The baseline is the polling interval, T/4: a successor without notifications waits for half of it
// on average. At the same time, a loop over a key that expires hands over.
import { setTimeout as pause } from 'node:timers/promises';
import { median, quantile } from '../measure/statistics.ts';
import { abstainsThresholds, handOvers } from '../process/hand-overs.ts';
import type { Report } from '../report/figures.ts';
import { openRedisGround, type RedisGround, type RedisMember } from './environment.ts';

/** The number of runs, and T. */
export interface RedisHandoverOptions {
  readonly runs: number;
  readonly thresholdMs: number;
}

/** The polling interval of members, in multiples of T. */
const pollThresholds = 0.25;
/** The target, in polling intervals. */
const limit = 0.2;

/** Runs the benchmark. */
export async function redisHandover(options: RedisHandoverOptions): Promise<Report> {
  await using environment = await openRedisGround();
  const [ours, keys] = await Promise.all([
    exchanged(environment, 'redis', options),
    exchanged(environment, 'key', options),
  ]);
  const [p50, pollMs] = [median(ours), pollThresholds * options.thresholdMs];
  return {
    figures: {
      ...{ name: 'redis-handover', unit: 'ms', runs: ours.length },
      ...{ p50, p99: quantile(ours, 0.99), baseline: pollMs },
      ...{ ratio: p50 / pollMs, limit, better: 'lower' },
    },
    against: `a polling interval, T/4; Redis of this host; T ${options.thresholdMs} ms`,
    notes: [],
    peers: [
      {
        name: 'a key that expires after T, tried every T/4',
        ...{ unit: 'ms', runs: keys.length, p50: median(keys), p99: quantile(keys, 0.99) },
      },
    ],
  };
}

function exchanged(
  environment: RedisGround,
  kind: 'redis' | 'key',
  { runs, thresholdMs }: RedisHandoverOptions,
): Promise<readonly number[]> {
  return handOvers<RedisMember>(
    {
      start: (name) =>
        environment.start(kind, {
          ...{ group: 'handover', member: `${kind}-${name}`, thresholdMs, partitions: 1 },
        }),
      // A random delay, because otherwise members would always resign at the same point of their
      // polling interval.
      rest: () => pause((abstainsThresholds + Math.random()) * thresholdMs),
    },
    runs,
  );
}
