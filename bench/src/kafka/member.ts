// Starts the member process of the Kafka benchmarks, and declares its input, its messages and the
// commands to it. `programs/kafka-member.ts` is the program of that process.
import { type Child, startChild } from '@leadership/tools/processes';
import type { ElectionMessage } from '../process/member-messages.ts';

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
export type MemberReport =
  | ElectionMessage
  /** The CPU time that the process has used, in milliseconds. */
  | { readonly kind: 'cpu'; readonly ms: number }
  /** The source has closed, after the command `close`. */
  | { readonly kind: 'closed' };

/** A command to a member process. */
export interface MemberCommand {
  /** `resign`: resign from partition 0. `cpu`: report the CPU time. `close`: close the source. */
  readonly kind: 'resign' | 'cpu' | 'close';
}

/** A process that runs one member on Kafka. */
export type Member = Child<MemberReport>;

/** Starts a member process. */
export function startMember(input: MemberInput): Member {
  return startChild<MemberReport>(new URL('../programs/kafka-member.js', import.meta.url), {
    input,
  });
}
