import { nextWake } from '../async/latest-value.ts';
import { nextTurn } from '../process/next-turn.ts';

/** Why a register has to be read: a new record, the first reading, or a lost position. */
export type Reading = 'written' | 'begun' | 'restarted';

const weight: Readonly<Record<Reading, number>> = { written: 0, begun: 1, restarted: 2 };

/** The registers that a reader has not read yet: each of them once, the oldest first. */
export interface Unread {
  add(partition: number, reading: Reading): void;
  /** Yields unread registers as they come, until the signal aborts. */
  drain(
    signal: AbortSignal,
  ): AsyncGenerator<readonly [partition: number, reading: Reading], void, undefined>;
}

/**
 * How many registers a member reads in one turn of the event loop. The work that follows from a
 * record happens in the same turn.
 */
const registersPerTurn = 64;

/** Creates an empty list of unread registers. */
export function unreadRegisters(): Unread {
  const waiting = new Map<number, Reading>();
  const wakers = new Set<() => void>();
  return {
    add(partition, reading) {
      const before = waiting.get(partition);
      if (before === undefined || weight[before] < weight[reading]) waiting.set(partition, reading);
      for (const waker of wakers) waker();
    },
    async *drain(signal) {
      for (let read = 0; !signal.aborted; ) {
        const [first] = waiting;
        if (first === undefined) {
          await nextWake(wakers, signal);
          read = 0;
          continue;
        }
        waiting.delete(first[0]);
        yield first;
        read += 1;
        if (read % registersPerTurn === 0) await nextTurn();
      }
    },
  };
}
