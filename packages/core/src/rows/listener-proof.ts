// Whether notifications still arrive. A connection can end without a sign of it: no data, no FIN and
// no RST. So each member sees to it that something arrives about every T: if nothing has, its next
// change carries a notification to all members, itself included.
import type { Clock } from '../time/clock.ts';
import { after } from '../time/instant.ts';

/** A listener that has received nothing for this time needs a proof. In T. */
const proofThresholds = 1;
/**
 * Half of the time within which a proof must arrive. Its end is awaited twice: if the event loop was
 * blocked, a notification waits in the socket until the first timer has fired. In T.
 */
const halfLimitThresholds = 1 / 4;
/**
 * A listener for which no change was made all this time is replaced without a warning. Only an
 * observer makes none, and no lease depends on its notifications. In T.
 */
const unprovedThresholds = 10;

/** The proof that one listening connection is alive. Dispose it with the connection. */
export interface ListenerProof extends Disposable {
  /** Notes that something arrived. */
  arrived(): void;
  /**
   * Makes a change, which carries a proof if one is due. `isDone` returns whether the change was
   * made: otherwise the proof was not sent.
   */
  during<T>(
    change: (withProof: boolean) => Promise<T>,
    isDone: (outcome: T) => boolean,
  ): Promise<T>;
}

/**
 * Watches a connection that listens since now. Calls `dead` once: with an error if a proof was sent
 * and did not arrive, and without one if the connection could not be proved for long.
 */
export function listenerProof(
  clock: Clock,
  thresholdMs: number,
  dead: (error: Error | undefined) => void,
): ListenerProof {
  let state: 'proved' | 'due' | 'sent' | 'over' = 'due';
  let timer: Disposable | undefined;
  const arm = (thresholds: number, then: () => void): void => {
    timer?.[Symbol.dispose]();
    timer = clock.wake(after(clock.now(), thresholds * thresholdMs), then);
  };
  const due = (): void => {
    state = 'due';
    arm(unprovedThresholds, () => dead(undefined));
  };
  const fail = (): void => {
    const limitMs = Math.round(2 * halfLimitThresholds * thresholdMs);
    dead(new Error(`a notification that this member sent did not arrive within ${limitMs} ms`));
  };
  due();
  return {
    arrived() {
      if (state === 'over') return;
      state = 'proved';
      arm(proofThresholds, due);
    },
    async during(change, isDone) {
      if (state !== 'due') return change(false);
      state = 'sent';
      let isSent = false;
      try {
        const outcome = await change(true);
        isSent = isDone(outcome);
        return outcome;
      } finally {
        // It may have arrived before the outcome.
        if (state === 'sent' && isSent)
          arm(halfLimitThresholds, () => arm(halfLimitThresholds, fail));
        else if (state === 'sent') state = 'due';
      }
    },
    [Symbol.dispose]() {
      state = 'over';
      timer?.[Symbol.dispose]();
    },
  };
}
