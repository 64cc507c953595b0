import { type Child, startChild } from '../process/child.ts';
import type { ElectingTold } from '../process/electing.ts';

/** How a member process is started. */
export interface MemberInput {
  readonly brokers: readonly string[];
  /** The topic, and the group. */
  readonly topic: string;
  readonly member: string;
  readonly thresholdMs: number;
  readonly partitions: number;
}

/** What a member process says. */
export type MemberTold =
  | ElectingTold
  /** The CPU time it has used. Milliseconds. */
  | { readonly kind: 'cpu'; readonly ms: number }
  /** It has left in order. */
  | { readonly kind: 'closed' };

/** What a member process is told. */
export interface MemberCommand {
  /** `resign` is about partition 0. */
  readonly kind: 'resign' | 'cpu' | 'close';
}

/** A member of a group on Kafka, in a process of its own. */
export type Member = Child<MemberTold>;

/** Starts one. */
export function startMember(input: MemberInput): Member {
  return startChild<MemberTold>(new URL('../programs/kafka-member.js', import.meta.url), { input });
}
