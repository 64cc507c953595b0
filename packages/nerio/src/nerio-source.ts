import type { Abortable, LeadershipSource, Metadata } from '@leadership/core';
import type { Observable } from 'rxjs';
import type { EdictStamp } from './protocol/edict.ts';
import type { Epoch, EpochMember } from './protocol/electorate.ts';
import type { QuorumSpec } from './protocol/quorums.ts';

/** A member of a group that elects among itself: everything any source is, and what only Nerio has. */
export interface NerioSource extends LeadershipSource {
  /** The epoch that runs, as far as this member knows; replayed. Its members are those of the last change. */
  readonly epoch$: Observable<Epoch>;
  /**
   * Who is *weak* leader of what, by partition; replayed. A weak leader has nobody before it in the ring that it hears, and that is all:
   * each side of a cut network has one, and it may have no lease (N14). Good for what does no harm twice, never a ground to write.
   */
  readonly weak$: Observable<ReadonlyMap<number, WeakLeader>>;
  /**
   * Creates an edict and sends it, both in this call: `send` is handed the stamp, right after it was made sure that this member still
   * leads. Whoever receives two edicts of one role can tell which was created first, across leaders, epochs and restarts: `compareEdicts`.
   * @returns what `send` returned; `undefined` where this member does not lead, and then nothing was sent (N8)
   */
  edict<T>(role: string | number, send: (stamp: EdictStamp) => T): T | undefined;
  /**
   * Asks a member whether it leads the role, and how long that can be relied on (N12): no other leads while the answer says so. A member
   * that has promised this much does not hand over earlier.
   * @throws LeadershipError `unreachable` where it does not answer within T; `closed`; the signal's reason
   */
  verify(member: string, role: string | number, options?: Abortable): Promise<Verification>;
  /**
   * Finds out who leads the role (N11): from what this member has heard, by becoming leader itself, or by waiting until somebody is.
   * @returns `undefined` where nobody is found within T, or too many are looking already
   * @throws LeadershipError `closed`; the signal's reason
   */
  find(role: string | number, options?: Abortable): Promise<FoundLeader | undefined>;
  /**
   * Changes the members of the group while it runs (N13): ends this epoch, once no lease is out, and begins the next. Nobody leads
   * in between. New members are started with `joins: true` first. A quorum of the old voters must have a `stateDirectory`, none of them lost in this epoch.
   * @returns the epoch that follows. Where several changes are asked for at once only one of them happens: look at its members
   * @throws LeadershipError `invalid-options` where these members could elect nobody or two, or this one may not ask; `closed`; the signal's reason
   */
  reconfigure(members: readonly (string | EpochMember)[], options?: ReconfigureOptions): Promise<Epoch>;
}

/** How members change. */
export interface ReconfigureOptions extends Abortable {
  /** Which sets of the new voters are quorums. Default: more than half of them. */
  readonly quorums?: QuorumSpec;
}

/** A weak leader. */
export interface WeakLeader {
  /** The name of the weak leader. */
  readonly member: string;
  /** Whether this source is the weak leader. */
  readonly self: boolean;
}

/** A leader that was found. By the time you read it, another may lead. */
export interface FoundLeader {
  /** The name of the leader. */
  readonly member: string;
  /** Whether this source is the leader. */
  readonly self: boolean;
  /** The strings that the leader publishes about itself. */
  readonly metadata: Metadata;
}

/** What a member answered about its leadership. */
export interface Verification {
  /** The name of the member that was verified. */
  readonly member: string;
  /** Whether that member surely leads at this very moment: compared with the clock in the call. */
  isLeading(): boolean;
}
