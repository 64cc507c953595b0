import { type Child, startChild } from '@leadership/tools/processes';
import type { ElectionMessage } from '../process/member-messages.ts';

/** The input of a member process. */
export interface MemberInput {
  /** The name and the address of each member of the group. */
  readonly addresses: Readonly<Record<string, string>>;
  readonly member: string;
  readonly thresholdMs: number;
  readonly partitions: number;
}

/** The messages of a member process. */
export type MemberReport =
  | ElectionMessage
  /**
   * The number of frames sent since the start, and the number of partitions that the member leads.
   */
  | { readonly kind: 'sent'; readonly frames: number; readonly leads: number };

/** A command to a member process. `resign` applies to partition 0. */
export interface MemberCommand {
  readonly kind: 'resign' | 'sent';
}

/** A process that runs one Nerio member. */
export type Member = Child<MemberReport>;

/** Starts a member process. */
export function startMember(input: MemberInput): Member {
  return startChild<MemberReport>(new URL('../programs/nerio-member.js', import.meta.url), {
    input,
  });
}
