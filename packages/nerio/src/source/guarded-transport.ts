// Guards against a custom transport that throws in the middle of a step. The message of that call
// is lost, as any transport may lose one.
import { inspect } from 'node:util';
import { LeadershipError } from '@leadership/core';
import type { Host } from '@leadership/core/adapter';
import type { HealthReporter } from '@leadership/core/internal/engine';
import type { Transport } from '../transport/transport.ts';

/**
 * Returns a transport whose calls never throw or reject. A failure is counted, and reported until
 * the same call succeeds.
 */
export function guardedTransport(
  transport: Transport,
  host: Pick<Host, 'ignored'>,
  health: HealthReporter,
): Transport {
  const failed = (name: string, cause: unknown): void => {
    host.ignored('transport threw');
    const why = cause instanceof Error ? cause.message : inspect(cause);
    health.raise(
      `transport ${name}`,
      new LeadershipError('unreachable', `the transport threw in ${name}(): ${why}`, { cause }),
    );
  };
  const attempt = <T>(name: string, call: () => T, otherwise: T): T => {
    try {
      const answer = call();
      health.mend(`transport ${name}`);
      return answer;
    } catch (cause) {
      failed(name, cause);
      return otherwise;
    }
  };
  return {
    reach: (members) => attempt('reach', () => transport.reach(members), undefined),
    enter: (epoch) => attempt('enter', () => transport.enter(epoch), undefined),
    send: (to, message) => attempt('send', () => transport.send(to, message), undefined),
    publish: (publication) => attempt('publish', () => transport.publish?.(publication), undefined),
    isReached: (member) => attempt('isReached', () => transport.isReached(member), false),
    get dropped() {
      return transport.dropped;
    },
    async close() {
      await Promise.resolve(attempt('close', () => transport.close(), undefined)).catch(
        (cause: unknown) => failed('close', cause),
      );
    },
  };
}
