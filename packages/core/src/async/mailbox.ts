import { nextWake } from './latest-value.ts';

/** The input queue of a state machine. */
export interface Mailbox<Input> {
  /** Processes one input now. Inputs fed during the processing are queued behind it. */
  feed(input: Input): void;
  /**
   * Resolves once `isOver` returns true while no input is being processed, or once the signal
   * aborts.
   */
  until(isOver: () => boolean, signal: AbortSignal): Promise<void>;
}

/** Creates an input queue that calls `take` for one input at a time. */
export function mailbox<Input>(take: (input: Input) => void): Mailbox<Input> {
  const waiting: Input[] = [];
  const changed = new Set<() => void>();
  let taking = false;
  const takeAll = (): void => {
    taking = true;
    try {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) take(next);
    } finally {
      taking = false;
    }
  };
  return {
    feed(input) {
      waiting.push(input);
      if (taking) return;
      takeAll();
      for (const wake of changed) wake();
    },
    async until(isOver, signal) {
      while (!signal.aborted && (taking || !isOver())) await nextWake(changed, signal);
    },
  };
}
