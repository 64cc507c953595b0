import type { Abortable, LeadershipSource, Metadata } from '@leadership/core';
import type { Observable } from 'rxjs';
import type { EdictStamp } from './protocol/edict.ts';
import type { Epoch, EpochMember } from './protocol/electorate.ts';
import type { QuorumSpec } from './protocol/quorums.ts';

/**
 * A source of a Nerio group, whose members elect among themselves: every method of a source, and
 * those that only Nerio offers.
 */
export interface NerioSource extends LeadershipSource {
  /**
   * The current epoch, as far as this member knows; replayed. Its members are those of the last
   * change.
   */
  readonly epoch$: Observable<Epoch>;
  /**
   * The *weak* leaders by partition; replayed. A weak leader is the first live member of the ring,
   * as far as it knows. It may have no lease, and each side of a cut network has one (N14). Use it
   * only for work that may run twice, never as a permission to write.
   */
  readonly weak$: Observable<ReadonlyMap<number, WeakLeader>>;
  /**
   * Creates an edict and sends it in the same call: verifies that this member still leads, then
   * calls `send` with the stamp. A receiver of two edicts of one role can determine which was
   * created first, across leaders, epochs and restarts: `compareEdicts`.
   * @returns the result of `send`; `undefined` if this member does not lead, and then `send` was
   * not called (N8)
   */
  edict<T>(role: string | number, send: (stamp: EdictStamp) => T): T | undefined;
  /**
   * Asks a member whether it leads the role, and until when (N12). No other member leads until
   * then: a member that has answered does not hand over earlier.
   * @throws LeadershipError `unreachable` if it does not answer within T; `closed`; the signal's
   * reason
   */
  verify(member: string, role: string | number, options?: Abortable): Promise<Verification>;
  /**
   * Finds the leader of the role (N11): this member may know it, become the leader itself, or wait
   * until a member leads. By the time you read the result, another may lead.
   * @returns `undefined` if no leader is found within T, or if more than 64 searches are pending
   * @throws LeadershipError `closed`; the signal's reason
   */
  find(
    role: string | number,
    options?: Abortable,
  ): Promise<
    | {
        /** The name of the leader. */
        readonly member: string;
        /** Whether this source is the leader. */
        readonly self: boolean;
        /** The strings that the leader publishes about itself. */
        readonly metadata: Metadata;
      }
    | undefined
  >;
  /**
   * Changes the members of the group while it runs (N13): ends this epoch once no lease is held,
   * and begins the next. No member leads in between. Start new members with `joins: true` first. A
   * quorum of the old voters must have a `stateDirectory`, none of them lost in this epoch.
   * @returns the next epoch. If several changes are requested at once, only one of them happens:
   * check its members
   * @throws LeadershipError `invalid-options` if these members could elect no leader or two, or if
   * this member may not request a change; `closed`; the signal's reason
   */
  reconfigure(
    members: readonly (string | EpochMember)[],
    options?: Abortable & {
      /** Which sets of the new voters are quorums. Default: more than half of them. */
      readonly quorums?: QuorumSpec;
    },
  ): Promise<Epoch>;
}

/** A weak leader. */
export interface WeakLeader {
  /** The name of the weak leader. */
  readonly member: string;
  /** Whether this source is the weak leader. */
  readonly self: boolean;
}

/** The answer of a member about its leadership. */
export interface Verification {
  /** The name of the member that was verified. */
  readonly member: string;
  /** Whether that member surely leads at this very moment: compared with the clock in the call. */
  isLeading(): boolean;
}
