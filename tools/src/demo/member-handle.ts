import type { Command, MemberMessage } from './member-message.ts';

/** How the demo opens a member. */
export interface MemberConfig {
  readonly url: string;
  readonly member: string;
  readonly thresholdMs: number;
  /** For backends whose members connect to each other: how, and member name to `host:port`. */
  readonly peers?: {
    readonly over: 'tcp' | 'udp';
    readonly addresses: Readonly<Record<string, string>>;
  };
}

/** A running member, and the ways to control it. */
export interface MemberHandle {
  readonly member: string;
  readonly pid: number;
  send(command: Command): void;
  /** Sends a signal that stops or continues the process. Absent if it is the demo's own process. */
  readonly signal?: (signal: 'SIGSTOP' | 'SIGCONT') => void;
  /**
   * Ends the member without a release. Returns the instant just before, in nanoseconds on the
   * host's monotonic clock.
   */
  crash(): bigint;
  /**
   * Resolves when the member has ended: with `undefined` if the demo requested it, otherwise with
   * the reason.
   */
  readonly exited: Promise<string | undefined>;
}

/** Starts a member. Its messages are passed to `onMessage`. */
export type StartMember = (
  config: MemberConfig,
  onMessage: (message: MemberMessage) => void,
) => MemberHandle;

/** Returns the options of a member. The demo shows one role, so one partition is enough. */
export function optionsOf({ member, thresholdMs }: MemberConfig): {
  member: string;
  thresholdMs: number;
  partitions: number;
} {
  return { member, thresholdMs, partitions: 1 };
}
