import { type Child, startChild } from '@leadership/tools/processes';
import type { ElectionMessage } from '../process/member-messages.ts';

/** The input of a process with one member. */
export interface MemberInput {
  /** The members that vote. A name is an address. */
  readonly voters: readonly string[];
  readonly membersMax: number;
  readonly member: string;
  readonly thresholdMs: number;
  readonly intervalMs: number;
}

/** A process that runs one member. */
export type Member = Child<ElectionMessage>;

/** Starts a member. */
export function startMember(input: MemberInput): Member {
  const program = new URL('../programs/gossip-member.js', import.meta.url);
  return startChild<ElectionMessage>(program, { input });
}
