// Measures how long a group on Redis has no leader after a crash. Of three member processes, the
// benchmark kills the leader with SIGKILL at a random moment between two renewals. The time ends
// when another process calls its subscriber with `leading`. Then a new member replaces the killed
// one.
//
// The baseline is T as configured. Members read every T/4, so the limit is 1.05 T plus T/4. In the
// same run, three loops over a key that expires after T are killed in the same way.
import { setTimeout as pause } from 'node:timers/promises';
import { median, quantile } from '../measure/statistics.ts';
import { take } from '../measure/take.ts';
import { crash, successions } from '../process/successions.ts';
import type { Report } from '../report/figures.ts';
import { halfBelowThreshold, outageFigures } from '../report/outages.ts';
import { openRedisGround, type RedisGround } from './environment.ts';

/** The number of runs, and T. */
export interface RedisFailoverOptions {
  readonly runs: number;
  readonly thresholdMs: number;
}

/** The target beside the interval of polls, in multiples of T. */
const leaseThresholds = 1.05;
/** The polling interval of members, in multiples of T. */
const pollThresholds = 0.25;

/** Runs the benchmark. */
export async function redisFailover(options: RedisFailoverOptions): Promise<Report> {
  await using environment = await openRedisGround();
  const [ours, keys] = await Promise.all([
    outages(environment, 'redis', options),
    outages(environment, 'key', options),
  ]);
  const limit = leaseThresholds + pollThresholds;
  const figures = outageFigures('redis-failover', ours, options.thresholdMs, limit);
  return {
    figures,
    against: 'T; Redis of this host',
    notes: [halfBelowThreshold(figures), `limit: ${leaseThresholds} T and a poll of T/4`],
    peers: [
      {
        name: 'a key that expires after T, tried and extended every T/4',
        ...{ unit: 'ms', runs: keys.length, p50: median(keys), p99: quantile(keys, 0.99) },
      },
    ],
  };
}

function outages(
  environment: RedisGround,
  kind: 'redis' | 'key',
  { runs, thresholdMs }: RedisFailoverOptions,
): Promise<readonly number[]> {
  let born = 0;
  return take(
    successions({
      members: 3,
      start() {
        born += 1;
        const member = `${kind}-${born}`;
        return environment.start(kind, { group: 'failover', member, thresholdMs, partitions: 1 });
      },
      rest: () => pause(thresholdMs * (1 + Math.random() / 3)),
      remove: crash,
    }),
    runs,
  );
}
