import { type Child, startChild } from '@leadership/tools/processes';
import type { ElectingTold } from '../process/electing.ts';

/** The input of a member process. */
export interface MemberInput {
  readonly brokers: readonly string[];
  /** The name of the topic, and of the group. */
  readonly topic: string;
  readonly member: string;
  readonly thresholdMs: number;
  readonly partitions: number;
}

/** The messages of a member process. */
export type MemberTold =
  | ElectingTold
  /** The CPU time that the process has used, in milliseconds. */
  | { readonly kind: 'cpu'; readonly ms: number }
  /** The source has closed in order. */
  | { readonly kind: 'closed' };

/** A command to a member process. */
export interface MemberCommand {
  /** `resign` applies to partition 0. */
  readonly kind: 'resign' | 'cpu' | 'close';
}

/** A process that runs one member on Kafka. */
export type Member = Child<MemberTold>;

/** Starts a member process. */
export function startMember(input: MemberInput): Member {
  return startChild<MemberTold>(new URL('../programs/kafka-member.js', import.meta.url), { input });
}
