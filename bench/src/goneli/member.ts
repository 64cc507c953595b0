import type { Child } from '@leadership/tools/processes';
import { startNativeChild } from '@leadership/tools/processes';

/** The input of a member process. */
export interface GoneliInput {
  readonly program: string;
  readonly brokers: readonly string[];
  readonly topic: string;
  readonly member: string;
  /** `session.timeout.ms`, in milliseconds. goNELI's own heartbeat timeout is a third of it. */
  readonly sessionMs: number;
}

/**
 * The messages of a member process. Instants are nanoseconds on the host's monotonic clock, as
 * decimal strings.
 */
type GoneliMessage =
  | { readonly kind: 'ready' }
  | { readonly kind: 'leading'; readonly atNs: string }
  | { readonly kind: 'revoked'; readonly atNs: string }
  | { readonly kind: 'fenced'; readonly atNs: string }
  /** The member begins to close, after the command `close`. */
  | { readonly kind: 'closing'; readonly atNs: string }
  | { readonly kind: 'closed' }
  /** The CPU time that the process has used, in milliseconds. */
  | { readonly kind: 'cpu'; readonly ms: number };

/** A process that runs one goNELI member. It accepts the commands `cpu` and `close`. */
export type GoneliMember = Child<GoneliMessage>;

/**
 * Returns `heartbeat.interval.ms`: a third of the session timeout, as Kafka's documentation
 * recommends. A member learns of a rebalance up to one interval late.
 */
export function beatMsOf(sessionMs: number): number {
  return Math.floor(sessionMs / 3);
}

/** Starts a member process. The topic and the group have the same name. */
export function startGoneli({
  program,
  brokers,
  topic,
  member,
  sessionMs,
}: GoneliInput): GoneliMember {
  const places = ['-brokers', brokers.join(), '-group', topic, '-topic', topic, '-name', member];
  return startNativeChild(program, [
    ...places,
    '-session',
    `${sessionMs}ms`,
    '-beat',
    `${beatMsOf(sessionMs)}ms`,
  ]);
}
