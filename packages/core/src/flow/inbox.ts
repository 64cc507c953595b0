import { nextWake } from './latest.ts';

/** What a machine is fed with. */
export interface Inbox<Input> {
  /** Takes one input now. What taking it feeds back waits its turn. */
  feed(input: Input): void;
  /** Resolves once `isOver` after some input, and nothing is being taken; or when the signal aborts. */
  until(isOver: () => boolean, signal: AbortSignal): Promise<void>;
}

/** Inputs for a machine that `take`s one at a time. */
export function inbox<Input>(take: (input: Input) => void): Inbox<Input> {
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
