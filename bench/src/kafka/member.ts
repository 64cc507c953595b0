import { type Child, startChild } from '../process/child.ts';

/** How a member process is started. */
export interface MemberInput {
  readonly brokers: readonly string[];
  /** The topic, and the group. */
  readonly topic: string;
  readonly member: string;
  readonly thresholdMs: number;
  readonly partitions: number;
}

/** What a member process says. Instants are nanoseconds on the host's monotonic clock, as text. */
export type MemberTold =
  | { readonly kind: 'ready' }
  /** It leads that partition from now on. */
  | { readonly kind: 'leading'; readonly partition: number; readonly atNs: string }
  /** It leads that partition no more, as its lease ended before it let go: `waiting` may follow much later. */
  | { readonly kind: 'fenced'; readonly partition: number; readonly atNs: string }
  /** It leads that partition no more. */
  | { readonly kind: 'waiting'; readonly partition: number; readonly atNs: string }
  /** It was told to resign, and begins. */
  | { readonly kind: 'resigning'; readonly atNs: string }
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
