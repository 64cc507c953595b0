import type { Deferred } from '../async/deferred.ts';
import type { Host } from '../contract/backend.ts';
import { LeadershipError } from '../contract/leadership-error.ts';
import type { ResolvedOptions } from '../contract/resolved-options.ts';
import type { SourceState } from './source-state.ts';

/** The parts of a backend's host. */
export interface HostParts {
  readonly stage: SourceState;
  readonly options: ResolvedOptions;
  readonly random: () => number;
  readonly ready: Deferred<void>;
  /** Aborts when the source must end without waiting any longer. */
  readonly signal: AbortSignal;
}

/**
 * Creates the host of a backend. It forwards reports to the stage, and settles the readiness
 * promise.
 */
export function createHost({ stage, options, random, ready, signal }: HostParts): Host {
  const { seats, vitals, clock, incarnation } = stage;
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
    granted: (grant) => (isOver ? 'over' : stage.granted(grant)),
    lost: (partition, reason) => seats[partition]?.fence(reason),
    released: (partition) => seats[partition]?.released(),
    drain: (partition) =>
      seats[partition]?.drain(options.drainTimeoutMs) ?? Promise.resolve('fenced'),
    leads(partition, leader) {
      // Ignore leader updates after the final fence, so that it stays the last state.
      if (!isOver) stage.leads(partition, leader);
    },
    ignored: vitals.ignored,
    measured: vitals.measured,
    confirmed: vitals.confirmed,
    trouble: (code, message, cause) => vitals.trouble({ code, message, cause }),
    warning: (code, message, cause) => vitals.warning({ code, message, cause }),
    ready() {
      if (vitals.isReady) return;
      vitals.isReady = true;
      stage.leaderless.start();
      stage.tell('ready');
      ready.resolve();
    },
    refused(code, message, cause) {
      if (isOver) return;
      isOver = true;
      const error = new LeadershipError(code, message, { cause });
      // Reject before notifying subscribers, because a combination closes the source when it is
      // notified.
      ready.reject(error);
      stage.refused(error);
    },
  };
}
