import type { Beat } from '@leadership/core/adapter';
import type { MisfortuneKind } from './scenario.ts';

/** The answer of the coordinator to one member. */
export interface Outcome {
  readonly partitions: ReadonlySet<number>;
  readonly generation: number;
  readonly alone: boolean;
  /** Number of the request to join that this outcome answers. */
  readonly answers: number;
}

/** A request to join. */
export interface Request {
  readonly declined: ReadonlySet<number>;
  /** Number of the request, counted per member. */
  readonly count: number;
}

/**
 * The common shape of all events, so that the event loop stays monomorphic and fast. `lane` is the
 * partition.
 */
interface Shape<Kind extends string, Cargo> {
  readonly kind: Kind;
  /** Index of the node, or of the group for the coordinator's events. */
  readonly node: number;
  /**
   * Life of that node. A restarted process ignores events that were addressed to its previous life.
   */
  readonly life: number;
  readonly lane: number;
  readonly cargo: Cargo;
}

/** The events of the world. */
export type Happening =
  /** The scheduled time. A wake-up that a later one has replaced is ignored. */
  | Shape<'wake', number>
  | Shape<'birth', undefined>
  /** A process stops after it has left the group. */
  | Shape<'gone', undefined>
  /** A beat reaches the broker. There is no answer: the sender reads its own beat. */
  | Shape<'landed', Beat>
  /** The time to send a beat has passed without success. */
  | Shape<'unsent', string>
  /** A reply arrives, which contains the log up to this offset. */
  | Shape<'fetched', number>
  /** The member's own timer: the next heartbeat is due. */
  | Shape<'heartbeat', undefined>
  /** A heartbeat reaches the coordinator, with the generation that the member knows. */
  | Shape<'alive', number>
  /** The coordinator asks the member to join again. */
  | Shape<'rejoin', undefined>
  | Shape<'join', Request>
  | Shape<'leave', undefined>
  | Shape<'assigned', Outcome>
  /** The coordinator's own timers: the end of a session, and the timeout of a rebalance. */
  | Shape<'session', string>
  | Shape<'rebalanced', number>
  /** The work of the term with that token has settled, or has timed out. */
  | Shape<'settled', bigint>
  | Shape<'timed-out', bigint>
  | Shape<'misfortune', MisfortuneKind>;
