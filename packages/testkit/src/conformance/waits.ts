// The waits that checks share: for a leader, for a state of a member, for a roster.
import type { MemberEvent, ProcessMember } from '../processes/process-member.ts';
import { awaitCondition, type Condition, inTime } from './await-condition.ts';

/**
 * The waits of a check, all with the same time limit. The message of a time-out contains the state
 * of every member.
 */
export interface Waits {
  /** Polls a condition and resolves with its first result. */
  until<T>(what: string, ask: Condition<T>): Promise<T>;
  /** Settles like `promise`. */
  settled<T>(what: string, promise: Promise<T>): Promise<T>;
  /**
   * Resolves with the first event in the member's log that matches. Rejects also once the process
   * has ended.
   */
  logged(member: ProcessMember, matches: (event: MemberEvent) => boolean): Promise<MemberEvent>;
}

/** Creates waits that reject after `timeoutMs`. `states` returns one line for each member. */
export function waitsOf(timeoutMs: number, states: () => readonly string[]): Waits {
  const withStates = (what: string): string => [what, ...states()].join('\n  ');
  return {
    until: (what, ask) => awaitCondition(() => withStates(what), ask, timeoutMs),
    settled: (what, promise) => inTime(() => withStates(what), promise, timeoutMs),
    logged: (member, matches) =>
      member.until(matches, timeoutMs).catch((cause: unknown) => {
        const message = cause instanceof Error ? cause.message : String(cause);
        throw new Error(withStates(message), { cause });
      }),
  };
}
