import type { Metadata } from './leader.ts';

/**
 * A present member of a group, as far as this member has read. It may be outdated by the time you use
 * it.
 */
export interface GroupMember {
  /** The name of the member; it need not be unique (L2). */
  readonly member: string;
  /** Whether this source is the member. */
  readonly self: boolean;
  /** When this run of the member began to take part, by its wall clock. Absent: not known. */
  readonly since?: Date;
  /** Whether it is a candidate. An observer is listed only where it sends messages to the others. */
  readonly isCandidate: boolean;
  /** The partitions that it leads, in ascending order. */
  readonly leads: readonly number[];
  /** The strings that it publishes about itself. */
  readonly metadata: Metadata;
  /**
   * The partitions of the roles that it has asked for by name: role → partition. The first 32, in at
   * most 1 KiB.
   */
  readonly roles: Readonly<Record<string, number>>;
  /**
   * The code of the first trouble in its `health()`, by its last renewal. Absent: it has reported none. A
   * later release may report a code that this one does not know.
   */
  readonly trouble?: string;
}
