import type { Child } from '../process/child.ts';
import { startNativeChild } from '../process/native-child.ts';

/** How a member process is started. */
export interface GoneliInput {
  readonly program: string;
  readonly brokers: readonly string[];
  readonly topic: string;
  readonly member: string;
  /** `session.timeout.ms`: how patient the group is with a silent member. goNELI's own heartbeat timeout is a third of it. Milliseconds. */
  readonly sessionMs: number;
}

/** What a member process says. Instants are nanoseconds on the host's monotonic clock, as text. */
type GoneliTold =
  | { readonly kind: 'ready' }
  | { readonly kind: 'leading'; readonly atNs: string }
  | { readonly kind: 'revoked'; readonly atNs: string }
  | { readonly kind: 'fenced'; readonly atNs: string }
  /** It was told to close, and begins. */
  | { readonly kind: 'closing'; readonly atNs: string }
  | { readonly kind: 'closed' }
  /** The CPU time it has used. Milliseconds. */
  | { readonly kind: 'cpu'; readonly ms: number };

/** A member of a goNELI group, in a process of its own. It is told `cpu` or `close`. */
export type GoneliMember = Child<GoneliTold>;

/** `heartbeat.interval.ms`: that late may a member learn of a rebalance. A third of the session, as Kafka's documentation has it. */
export function beatMsOf(sessionMs: number): number {
  return Math.floor(sessionMs / 3);
}

/** Starts one. Its topic and its group are called the same. */
export function startGoneli({ program, brokers, topic, member, sessionMs }: GoneliInput): GoneliMember {
  const places = ['-brokers', brokers.join(), '-group', topic, '-topic', topic, '-name', member];
  return startNativeChild(program, [...places, '-session', `${sessionMs}ms`, '-beat', `${beatMsOf(sessionMs)}ms`]);
}
