import { follow } from '../flow/follow.ts';
import { type BackOff, keepTrying } from '../flow/keep-trying.ts';
import { latest } from '../flow/latest.ts';
import type { Clock } from '../time/clock.ts';
import { balance } from './balance.ts';
import type { Placement, Presence, Ranks } from './placement.ts';

/** Who asks for a balanced placement, and how. */
export interface BalancedOptions {
  readonly incarnation: string;
  readonly partitions: number;
  readonly clock: Clock;
  readonly backOff: BackOff;
}

/** The shared placement of stores that only know who is there: partitions evenly over members, few moves (L9). */
export function balanced(presence: Presence, { incarnation, partitions, clock, backOff }: BalancedOptions): Placement {
  const ranks = latest<ReadonlyMap<number, Ranks>>();
  let present: readonly string[] = [];
  let holders: ReadonlyMap<number, string> = new Map();
  let announcing: AbortController | undefined;
  const rerank = (): void => {
    const members = announcing ? [...new Set([...present, incarnation])] : present.filter((other) => other !== incarnation);
    ranks.set(balance(partitions, members, holders));
  };
  const announceUntil = (signal: AbortSignal): Promise<void> =>
    keepTrying({ attempt: () => presence.announce(signal), broke: () => true }, backOff, clock, signal);
  return {
    async *ranks(signal) {
      const each = (now: readonly string[]): void => {
        present = now;
        rerank();
      };
      void follow({ open: (until) => presence.present(until), each, broke: () => true }, backOff, clock, signal);
      yield* ranks.follow(signal);
    },
    holders(now) {
      holders = now;
      rerank();
    },
    standing(on) {
      if (on === (announcing !== undefined)) return;
      announcing?.abort();
      announcing = on ? new AbortController() : undefined;
      if (announcing) void announceUntil(announcing.signal);
      rerank();
    },
  };
}
