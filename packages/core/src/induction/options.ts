import type { ResolvedOptions } from '../contract/resolved-options.ts';
import type { Assignment } from './assignment.ts';
import type { Beats } from './beats.ts';

/** What a user may say about induction, beside what every backend takes. */
export interface InductionOptions {
  /**
   * `continuous` — never leaderless rather than never doubled (I4). `exclusive` — never doubled for as long as the coordinator
   * honours the session (I5): for brokers that can assign but not compare; where a ledger can be had, have that. Default `continuous`.
   */
  readonly promise?: 'continuous' | 'exclusive';
  /**
   * `owner` — who is assigned a partition beats on it, and only its own beats count. `all` — every member beats on every
   * partition, and anybody's beat counts (I3): a leader whose own beats fail leads on by the others'. Default `owner`.
   */
  readonly beats?: 'all' | 'owner';
  /** F, how often a member beats. Milliseconds. Default: T/10, less where `groupsOnTopic` asks for it. */
  readonly beatMs?: number;
  /** n, how many groups share the partitions: each beats only every n · F, so that their number does not add to the load (I3, I6). Default 1. */
  readonly groupsOnTopic?: number;
  /**
   * e, by how much a broker's clock may step unnoticed, and how well it is to be known: how far another's beat may be misplaced in
   * time at most (I2). What is measured is in `health().measured`; where that is more, `health()` says so. Milliseconds. Default T/10
   * for `beats: 'all'`, and 0 for `owner`, which compares no clocks.
   */
  readonly clockErrorMsMax?: number;
}

/** What a broker brings: who should lead, and whether that is still current. */
export interface InductionParts {
  readonly assignment: Assignment;
  readonly beats: Beats;
}

/** What is known of a broker and of how this member is a member there. */
export interface InductionTraits {
  /** For how long the coordinator keeps a silent member's partitions for it. Milliseconds. */
  readonly sessionTimeoutMs: number;
  /** For how long a rebalance may take at most. Milliseconds. */
  readonly rebalanceTimeoutMs: number;
  /** Whether beats are stamped by the broker's own clock. Without, only a member's own beats count (I2). */
  readonly stamps: 'broker' | 'none';
  /** Whether `Assigned.generation` is told, sooner or later. Without, nothing bounds the overlap with a member that only its coordinator cannot reach. */
  readonly numbered: boolean;
  /** The longest a reader may be behind by design: its poll period. Milliseconds. Default 0. */
  readonly newsDelayMs?: number;
}

/** Everything `inductionBackend` takes: the options of every backend, resolved, and induction's own. */
export type InducedOptions = ResolvedOptions & InductionOptions;
