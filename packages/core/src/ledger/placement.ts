/**
 * Who should hold a partition, best first, as incarnations: a list of them, or a view that works out the positions of stand-ins
 * when they are asked for. A member that is not listed does not claim the partition (L9).
 */
export interface Ranks {
  /** The member at that position; the preferred one is at 0. */
  at(index: number): string | undefined;
  /** The position of a member; -1 where it is not listed. */
  indexOf(incarnation: string): number;
}

/** Who holds a partition, and in which term. */
export interface Holding {
  readonly incarnation: string;
  readonly token: bigint;
}

/** Says who should hold what. Advice: it can cost availability, never exclusivity. */
export interface Placement {
  /**
   * The ranks of the partitions that another member is preferred for since. A reader that begins is told of every partition, as soon
   * as the placement knows who is there: until then members claim what nobody holds one after the other, and ask for nothing.
   */
  ranks(signal: AbortSignal): AsyncIterable<ReadonlyMap<number, Ranks>>;
  /** The engine's news for it: who holds what now, as far as it has read; `undefined`: nobody. Only what changed. */
  holders(changed: ReadonlyMap<number, Holding | undefined>): void;
  /** This member stands for election, or no longer does. */
  standing(on: boolean): void;
}

/** Who is there: members that stand for election tell it, and see one another. */
export interface Presence {
  /** Says "I am here", again and again, until the signal aborts; then says "I am gone". Period at least T. */
  announce(signal: AbortSignal): Promise<void>;
  /** The incarnations present, whenever that changed. */
  present(signal: AbortSignal): AsyncIterable<readonly string[]>;
}
