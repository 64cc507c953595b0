import type { Deferred } from '../async/deferred.ts';
import type { Host } from '../contract/backend.ts';
import { LeadershipError } from '../contract/leadership-error.ts';
import type { ResolvedOptions } from '../contract/resolved-options.ts';
import type { SourceState } from './source-state.ts';

/** The parts of a backend's host. */
export interface HostParts {
  readonly state: SourceState;
  readonly options: ResolvedOptions;
  readonly random: () => number;
  readonly ready: Deferred<void>;
  /** Aborts when the source must end without waiting any longer. */
  readonly signal: AbortSignal;
}

/**
 * Creates the host of a backend. It forwards reports to the state of the source, and settles the readiness
 * promise.
 */
export function createHost({ state, options, random, ready, signal }: HostParts): Host {
  const { leaderships, healthTracker, clock, incarnation } = state;
  // Cache the abort state: once a process has created several signals, V8 takes as long to read one
  // as to read the clock, and every grant reads it.
  let isOver = signal.aborted;
  const end = (): void => {
    isOver = true;
  };
  signal.addEventListener('abort', end, { once: true });
  return {
    member: options.member,
    incarnation,
    clock,
    random,
    signal,
    granted: (grant) => (isOver ? 'over' : state.granted(grant)),
    prolonged: (until, sentAt, lease) => (isOver ? 'over' : state.prolonged(until, sentAt, lease)),
    lost: (partition, reason) => leaderships[partition]?.fence(reason),
    released: (partition) => leaderships[partition]?.released(),
    drain: (partition) =>
      leaderships[partition]?.drain(options.drainTimeoutMs) ?? Promise.resolve('fenced'),
    leads(partition, leader, ended) {
      // Ignore leader updates after the final fence, so that it stays the last state.
      if (!isOver) state.leads(partition, leader, ended);
    },
    members(members) {
      if (!isOver) state.present(members);
    },
    expectsLeaders: (isExpected) => state.leaderless.expect(isExpected),
    capacity: (capacity) => state.leaderless.limit(capacity),
    ignored: healthTracker.ignored,
    measured: healthTracker.measured,
    confirmed: healthTracker.confirmed,
    trouble: (code, message, cause) => healthTracker.trouble({ code, message, cause }),
    warning: (code, message, cause) => healthTracker.warning({ code, message, cause }),
    ready() {
      if (healthTracker.isReady) return;
      healthTracker.isReady = true;
      state.leaderless.start();
      state.emit('ready');
      ready.resolve();
    },
    refused(code, message, cause) {
      if (isOver) return;
      isOver = true;
      const error = new LeadershipError(code, message, { cause });
      // Reject before notifying subscribers, because a combination closes the source when it is
      // notified.
      ready.reject(error);
      state.refused(error);
    },
  };
}
