import type { Beat } from '@leadership/core/induction';
import type { MisfortuneKind } from './scenario.ts';

/** What the coordinator tells one member. */
export interface Outcome {
  readonly partitions: ReadonlySet<number>;
  readonly generation: number;
  readonly alone: boolean;
  /** Which of the member's requests to join it answers. */
  readonly answers: number;
}

/** A request to join. */
export interface Request {
  readonly declined: ReadonlySet<number>;
  /** The how-manieth of this member. */
  readonly count: number;
}

/** All of one shape, so that the loop over them stays fast. `lane` is the partition. */
interface Shape<Kind extends string, Cargo> {
  readonly kind: Kind;
  /** Which node it is for; or which group, where it is the coordinator's. */
  readonly node: number;
  /** Which life of that node: a restarted process gets nothing that was meant for the one before. */
  readonly life: number;
  readonly lane: number;
  readonly cargo: Cargo;
}

/** What can happen in the world. */
export type Happening =
  /** When it was to come: one that another has overtaken is void. */
  | Shape<'wake', number>
  | Shape<'birth', undefined>
  /** A process that said goodbye stops. */
  | Shape<'gone', undefined>
  /** A beat reaches the broker; nobody answers it but by its being read. */
  | Shape<'landed', Beat>
  /** Nothing was heard of a beat that was sent. */
  | Shape<'unsent', string>
  /** A reply with the log up to there arrives. */
  | Shape<'fetched', number>
  /** The member's own timer: time to be heard of by the coordinator. */
  | Shape<'heartbeat', undefined>
  /** A heartbeat reaches the coordinator, with the generation that the member knows of. */
  | Shape<'alive', number>
  /** It answers that the member has to join anew. */
  | Shape<'rejoin', undefined>
  | Shape<'join', Request>
  | Shape<'leave', undefined>
  | Shape<'assigned', Outcome>
  /** The coordinator's own timers: a session may be over, a rebalance may have taken its time. */
  | Shape<'session', string>
  | Shape<'rebalanced', number>
  /** The work of the term with that token has settled; or has had its time. */
  | Shape<'settled', bigint>
  | Shape<'timed-out', bigint>
  | Shape<'misfortune', MisfortuneKind>;
