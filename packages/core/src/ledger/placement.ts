/** Who should hold a partition, best first, as incarnations. Who is not listed does not claim it (L9). */
export type Ranks = readonly string[];

/** Who holds a partition, and in which term. */
export interface Holding {
  readonly incarnation: string;
  readonly token: bigint;
}

/** Says who should hold what. Advice: it can cost availability, never exclusivity. */
export interface Placement {
  /** The ranks of every partition, whenever any of them changed. */
  ranks(signal: AbortSignal): AsyncIterable<ReadonlyMap<number, Ranks>>;
  /** The engine's news for it: who holds which partition, as far as it has read. */
  holders(now: ReadonlyMap<number, Holding>): void;
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
