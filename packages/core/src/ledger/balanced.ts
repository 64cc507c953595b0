// Decides which member should hold which partition, for every store that only knows which members
// are present.
import { latestValue } from '../async/latest-value.ts';
import { type BackOff, retry } from '../async/retry.ts';
import { Balance } from '../engine/balance.ts';
import type { Clock } from '../time/clock.ts';
import type { Holding, Placement, Presence, Ranks } from './placement.ts';

/** The member that asks for a balanced placement, and its settings. */
export interface BalancedOptions {
  /** The incarnation of this member, from the host. */
  readonly incarnation: string;
  /** The number of partitions. */
  readonly partitions: number;
  /** The clock of the host. */
  readonly clock: Clock;
  /** The delays between attempts to follow a presence that failed. */
  readonly backOff: BackOff;
}

/**
 * Creates the placement of stores that only know which members are present: partitions are spread
 * evenly, with few moves (L9). It ranks no member before `presence` has reported the members; a
 * member that ranked itself first everywhere would claim and request the share of all others. An
 * error of `presence` ends `ranks` once with that error; the consumer of `ranks` reports it and
 * opens `ranks` again.
 */
export function balanced(
  presence: Presence,
  { incarnation, partitions, clock, backOff }: BalancedOptions,
): Placement {
  // Coalesces many changes, as at a start, into one ranking.
  const changed = latestValue<'changed'>();
  const ranking = new Ranking(partitions, incarnation);
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
      ranking.present = now;
      change();
    }
    if (!signal.aborted) throw new Error('presence stream ended unexpectedly');
  };
  return {
    async *ranks(signal) {
      const over = new AbortController();
      follow(AbortSignal.any([signal, over.signal])).catch(broke);
      ranking.begin();
      try {
        for await (const _ of changed.follow(signal)) {
          const { error } = broken ?? {};
          broken = undefined;
          if (error !== undefined) throw error;
          const ranks = ranking.changed();
          if (ranks.size > 0) yield ranks;
        }
      } finally {
        over.abort();
      }
    },
    holders(now) {
      for (const [partition, holding] of now) ranking.hold(partition, holding);
      change();
    },
    setCandidate(on) {
      if (on === (announcing !== undefined)) return;
      announcing?.abort();
      announcing = on ? new AbortController() : undefined;
      ranking.isCampaigning = on;
      const signal = announcing?.signal;
      if (signal)
        void retry({ attempt: () => presence.announce(signal), broke }, backOff, clock, signal);
      change();
    },
  };
}

/** The known members and holders, and the members that were last ranked. */
class Ranking {
  /** The members present; `undefined` before they are known. */
  present: readonly string[] | undefined;
  /** Whether this member counts as present, even before other members know of it. */
  isCampaigning = false;
  readonly #balance: Balance;
  readonly #partitions: readonly number[];
  readonly #incarnation: string;
  #members: string | undefined;

  constructor(partitions: number, incarnation: string) {
    this.#balance = new Balance(partitions);
    this.#partitions = Array.from({ length: partitions }, (_, partition) => partition);
    this.#incarnation = incarnation;
  }

  hold(partition: number, holding: Holding | undefined): void {
    this.#balance.hold(partition, holding);
  }

  /** Starts a new reader, which must receive all ranks. */
  begin(): void {
    this.#members = undefined;
  }

  /**
   * Returns the ranks of the partitions whose preferred member changed; of all partitions if the
   * members changed.
   */
  changed(): ReadonlyMap<number, Ranks> {
    if (this.present === undefined) return new Map();
    const others = this.present.filter((other) => other !== this.#incarnation);
    const members = [
      ...new Set(this.isCampaigning ? [...others, this.#incarnation] : others),
    ].sort();
    const known = JSON.stringify(members);
    const isSame = known === this.#members;
    if (!isSame) this.#balance.members(members);
    this.#members = known;
    const moved = this.#balance.settle();
    // A member that was not listed and now is must reconsider the partitions that it did not claim.
    return new Map(
      (isSame ? moved : this.#partitions).map((partition) => [
        partition,
        this.#balance.ranks(partition) ?? [],
      ]),
    );
  }
}
