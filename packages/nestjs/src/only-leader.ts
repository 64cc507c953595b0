// The decorator `OnlyLeader`, for methods that only the leader runs.
import { leaderMethod } from './leader-method.ts';

/** A decorator for methods. */
export type LeaderMethodDecorator = (
  target: object,
  key: string | symbol,
  descriptor: PropertyDescriptor,
) => void;

/**
 * A decorator for methods of providers, such as handlers of `@Cron` and `@Interval`. The method runs
 * if this member leads `role`, and returns a promise. Otherwise it does nothing and returns
 * `undefined`. An orderly hand-over waits for it.
 *
 * It does not make a tick run once: the next leader may reach the same tick later. Use `LeaderCron`
 * of `@leadership/nestjs/schedule` for that.
 */
export function OnlyLeader(role: string | number): LeaderMethodDecorator {
  return (target, key, descriptor) =>
    leaderMethod(target, key, descriptor, ({ source, args, run }) =>
      source.role(role).ifLeading(() => run(args)),
    );
}
