// The part of a client that keeps a member in a consumer group: one session lasts from joining to
// leaving, or until it breaks.
import type { Clock } from '@leadership/core/adapter';
import type { Plan } from './plan.ts';

/** A member as the assigner receives it. */
interface JoinedMember {
  readonly memberId: string;
  readonly memberMetadata: Buffer;
}

/** A member as its coordinator describes it. */
export interface DescribedMember extends JoinedMember {
  readonly clientId: string;
  readonly clientHost: string;
  readonly memberAssignment: Buffer;
}

/** The encoded assignment of one member. */
export interface MemberShare {
  readonly memberId: string;
  readonly memberAssignment: Buffer;
}

/**
 * Provides the user data that a member joins with, and the assignments if the coordinator chooses
 * this member to plan.
 */
export interface GroupAssigner {
  readonly name: string;
  readonly version: number;
  /** Returns the user data of this member. Called at each join. */
  protocol(subscription: { readonly topics: readonly string[] }): {
    readonly name: string;
    readonly metadata: Buffer;
  };
  assign(group: { readonly members: readonly JoinedMember[] }): Promise<MemberShare[]>;
}

/** The group, its limits, and the callbacks of one session. */
export interface GroupSessionOptions {
  readonly topic: string;
  readonly groupId: string;
  readonly clock: Clock;
  readonly sessionTimeoutMs: number;
  readonly heartbeatMs: number;
  /** How long connecting may take. Milliseconds. */
  readonly limitMs: number;
  readonly requestTimeoutMs: number;
  readonly assigner: GroupAssigner;
  /**
   * Called with each new plan; called again, with the number of the plan's generation, once that is
   * known.
   */
  readonly planned: (plan: Plan, generation: number | undefined) => void;
  /** Called when a member joins or leaves: the last plan may be out of date. */
  readonly disturbed?: () => void;
  /** Returns whether a plan was made after this member joined last. Default: every plan was. */
  readonly fits?: (plan: Plan) => boolean;
}

/** Keeps the member in the group until the signal aborts; rejects if the session breaks. */
export type RunGroupSession = (options: GroupSessionOptions, signal: AbortSignal) => Promise<void>;

/**
 * How long leaving the group may take. The group notices a member that has not left in time when
 * its session ends. Milliseconds.
 */
export const leavingMs = 1_000;
