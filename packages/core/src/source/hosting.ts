import type { Host } from '../contract/backend.ts';
import { LeadershipError } from '../contract/leadership-error.ts';
import type { ResolvedOptions } from '../contract/resolved-options.ts';
import type { Deferred } from './deferred.ts';
import type { Stage } from './stage.ts';

/** What the host of a backend is made of. */
export interface Hosting {
  readonly stage: Stage;
  readonly options: ResolvedOptions;
  readonly random: () => number;
  readonly ready: Deferred<void>;
  /** Aborts when the source is to end without waiting any longer. */
  readonly signal: AbortSignal;
}

/** The host: a backend's news goes to the stage, and its readiness to who waits for it. */
export function hostOf({ stage, options, random, ready, signal }: Hosting): Host {
  const { seats, vitals, clock, incarnation } = stage;
  // A grant looks at it: asking a signal takes V8 as long as reading the clock, once a process has made some of them.
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
    drain: (partition) => seats[partition]?.drain(options.drainTimeoutMs) ?? Promise.resolve('fenced'),
    leads(partition, leader) {
      // Who was fenced in the end is told no more: that is the last word.
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
      // First of all: a combination that hears of it closes the source.
      ready.reject(error);
      stage.refused(error);
    },
  };
}
