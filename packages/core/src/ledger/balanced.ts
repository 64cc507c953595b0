import { type BackOff, keepTrying } from '../flow/keep-trying.ts';
import { latest } from '../flow/latest.ts';
import type { Clock } from '../time/clock.ts';
import { balance } from './balance.ts';
import type { Holding, Placement, Presence } from './placement.ts';

/** Who asks for a balanced placement, and how. */
export interface BalancedOptions {
  readonly incarnation: string;
  readonly partitions: number;
  readonly clock: Clock;
  readonly backOff: BackOff;
}

/**
 * The shared placement of stores that only know who is there: partitions evenly over members, few moves (L9). What breaks in
 * `presence` breaks its ranks, once: whoever follows them tells it, and opens them again.
 */
export function balanced(presence: Presence, { incarnation, partitions, clock, backOff }: BalancedOptions): Placement {
  // Many changes at once, as at a start, are one ranking.
  const changed = latest<'changed'>();
  let present: readonly string[] = [];
  let holders: ReadonlyMap<number, Holding> = new Map();
  let announcing: AbortController | undefined;
  let broken: { readonly error: unknown } | undefined;
  const change = (): void => changed.set('changed');
  const broke = (error: unknown): true => {
    broken = { error };
    change();
    return true;
  };
  const follow = async (signal: AbortSignal): Promise<void> => {
    for await (const now of presence.present(signal)) {
      present = now;
      change();
    }
    if (!signal.aborted) throw new Error('presence ended although it is still followed');
  };
  const members = (): readonly string[] => {
    const others = present.filter((other) => other !== incarnation);
    return announcing ? [...new Set(others), incarnation] : others;
  };
  return {
    async *ranks(signal) {
      const over = new AbortController();
      follow(AbortSignal.any([signal, over.signal])).catch(broke);
      try {
        for await (const _ of changed.follow(signal)) {
          const { error } = broken ?? {};
          broken = undefined;
          if (error !== undefined) throw error;
          yield balance(partitions, members(), holders);
        }
      } finally {
        over.abort();
      }
    },
    holders(now) {
      holders = now;
      change();
    },
    standing(on) {
      if (on === (announcing !== undefined)) return;
      announcing?.abort();
      announcing = on ? new AbortController() : undefined;
      const signal = announcing?.signal;
      if (signal) void keepTrying({ attempt: () => presence.announce(signal), broke }, backOff, clock, signal);
      change();
    },
  };
}
