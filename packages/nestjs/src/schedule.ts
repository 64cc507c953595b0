/**
 * Cron jobs of `@nestjs/schedule` that run at most once per tick across all processes:
 * {@link LeaderCron}.
 *
 * @packageDocumentation
 */
import { oncePerTick, type TickStore } from '@leadership/scheduler';
import { Inject } from '@nestjs/common';
import { Cron, type CronOptions, SchedulerRegistry } from '@nestjs/schedule';
import { leaderMethod } from './leader-method.ts';
import type { LeaderMethodDecorator } from './only-leader.ts';

/** Options for {@link LeaderCron}; the others are those of `@Cron`. */
export type LeaderCronOptions = CronOptions & {
  /** The role whose leader runs the job. */
  readonly role: string | number;
  /** The name of the job, in the store and in the `SchedulerRegistry`. */
  readonly name: string;
  /**
   * Where claimed ticks are kept. All processes must use the same store. Default: the group of the role,
   * as `rowTicks` of `@leadership/scheduler` keeps them.
   */
  readonly store?: TickStore;
};

/** The property of a provider under which Nest injects the registry. */
const injected: unique symbol = Symbol('registry');

/**
 * A decorator like `@Cron` of `@nestjs/schedule`. Each tick runs at most once across all processes:
 * the leader of `role` claims it in the store before it runs the job. The method receives a `Tick`.
 * An orderly hand-over waits for it. Missed ticks are not caught up: `schedule` of
 * `@leadership/scheduler` does that.
 */
export function LeaderCron(
  pattern: string,
  { role, store, ...options }: LeaderCronOptions,
): LeaderMethodDecorator {
  const { name } = options;
  return (target, key, descriptor) => {
    leaderMethod(target, key, descriptor, ({ source, instance, run }) => {
      const registry = instance[injected] as SchedulerRegistry;
      const at = latestTick(registry.getCronJob(name), Date.now());
      return oncePerTick(source.role(role), (tick) => run([tick]), {
        name,
        at,
        ...(store && { store }),
      });
    });
    Inject(SchedulerRegistry)(target, injected);
    Cron(pattern, options)(target, key, descriptor);
  };
}

type CronJob = ReturnType<SchedulerRegistry['getCronJob']>;

/** A timer may fire this much before its time, by the wall clock. Milliseconds. */
const earlyMs = 10;

/** No pattern has ticks further apart: 29 February, around the year 2100. Milliseconds. */
const gapMsMax = 8 * 366 * 24 * 3_600_000;

/**
 * Returns the latest tick of the job until `now`. `cron` does not name the tick to the job,
 * and the current time differs between the processes.
 */
function latestTick(job: CronJob, now: number): Date {
  const next = job.nextDate();
  // A date in the time zone of the job.
  const tickAfter = (ms: number): number => {
    const start = next.minus({ milliseconds: next.toMillis() - ms });
    return job.cronTime.getNextDateFrom(start as never).toMillis();
  };
  const until = now + earlyMs;
  for (let windowMs = 1000; windowMs <= gapMsMax; windowMs *= 2) {
    let tick = tickAfter(until - windowMs);
    if (tick > until) continue;
    for (let later = tickAfter(tick); later <= until; later = tickAfter(later)) tick = later;
    return new Date(tick);
  }
  return next.toJSDate();
}
