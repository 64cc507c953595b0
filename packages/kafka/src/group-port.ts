// What the adapter needs of a client to be in a consumer group: one stay, from joining it to leaving it, or until it breaks.
import type { Clock } from '@leadership/core/backend';
import type { Plan } from './plan.ts';

/** A member as it is when the group is planned. */
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

/** What a member is assigned, as it travels. */
export interface MemberShare {
  readonly memberId: string;
  readonly memberAssignment: Buffer;
}

/** What a member tells as it joins, and what it assigns where the coordinator chose it to plan. */
export interface GroupAssigner {
  readonly name: string;
  readonly version: number;
  /** What this member tells of itself, asked for at each join. */
  protocol(subscription: { readonly topics: readonly string[] }): { readonly name: string; readonly metadata: Buffer };
  assign(group: { readonly members: readonly JoinedMember[] }): Promise<MemberShare[]>;
}

/** Which group, and who is told. */
export interface GroupOptions {
  readonly topic: string;
  readonly groupId: string;
  readonly clock: Clock;
  readonly sessionTimeoutMs: number;
  readonly heartbeatMs: number;
  /** How long connecting may take. Milliseconds. */
  readonly limitMs: number;
  readonly requestTimeoutMs: number;
  readonly assigner: GroupAssigner;
  /** Whether the group assigns partitions (I), or only knows who is there. */
  readonly assigns: boolean;
  /** The group has a new plan; again, with the number of the generation that it is for, once that is known. */
  readonly planned: (plan: Plan, generation: number | undefined) => void;
  /** Somebody came or left: the plan that was told last may be out of date. */
  readonly disturbed?: () => void;
  /** Whether a plan was made after this member joined last. Left out: any is good enough. */
  readonly fits?: (plan: Plan) => boolean;
}

/** Stays in the group until the signal aborts; rejects where the stay breaks. */
export type StayInGroup = (options: GroupOptions, signal: AbortSignal) => Promise<void>;

/** How long leaving the group may take. The group notices a member that has not left in time when its session ends. Milliseconds. */
export const leavingMs = 1_000;
