// The port to what decides which member should hold which partition, and to what knows which
// members live.
import type { Holding, Ranks } from '../engine/balance.ts';
import type { Ledger } from './ledger.ts';

export type { Holding, Ranks };

/**
 * Decides which member should hold which partition. A wrong answer can cost availability, never
 * exclusivity.
 */
export interface Placement {
  /**
   * Yields the ranks of the partitions whose preferred member changed. The first item of a new
   * reader covers every partition and follows as soon as the members are known. Until then members
   * claim free partitions with staggered delays and send no lease requests.
   */
  ranks(signal: AbortSignal): AsyncIterable<ReadonlyMap<number, Ranks>>;
  /**
   * Receives the holders that changed, as far as the engine has read; `undefined` means no holder.
   */
  holders(changed: ReadonlyMap<number, Holding | undefined>): void;
  /** Receives whether this member is a candidate. */
  setCandidate(isCandidate: boolean): void;
}

/** The set of live members: candidates announce themselves, and every member observes them. */
export interface Presence {
  /**
   * Announces this member repeatedly until the signal aborts, then withdraws the announcement. An
   * announcement stays valid for at least T.
   */
  announce(signal: AbortSignal): Promise<void>;
  /** Yields the incarnations that are present, whenever they change. */
  present(signal: AbortSignal): AsyncIterable<readonly string[]>;
}

/**
 * The parts that a store provides: its registers, and the placement that decides which member
 * should hold each.
 */
export interface LedgerParts {
  /** The registers of the store. */
  readonly ledger: Ledger;
  /** Decides which member should hold each register. */
  readonly placement: Placement;
}

/**
 * Returns whether two lists of ranks are equal. A view is never equal: it emits only when it has
 * changed.
 */
export function isSameRanks(a: Ranks | undefined, b: Ranks): boolean {
  if (!(Array.isArray(a) && Array.isArray(b))) return false;
  return a.length === b.length && a.every((incarnation, rank) => incarnation === b[rank]);
}
