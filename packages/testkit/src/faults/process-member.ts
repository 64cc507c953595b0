import type { SourceOptions } from '@leadership/core';

/** What a member process does once it leads a partition. */
export type MemberWork =
  /** Leads every partition, idles in each term, and settles as soon as it is told to end. */
  | { readonly kind: 'idle' }
  /** Goes on for so long after it was told to end. Milliseconds. */
  | { readonly kind: 'drain'; readonly drainMs: number }
  /** Never settles. */
  | { readonly kind: 'stuck' }
  /** Writes to a fenced store (a file) again and again while it leads, with its token, or without one. */
  | { readonly kind: 'write'; readonly store: string; readonly fenced: boolean };

/** How a member process is started: everything must survive a trip over JSON. */
export interface ProcessMemberOptions {
  /** Opened with `openLeadership` in the child. */
  readonly url: string;
  readonly options: Pick<
    SourceOptions,
    'member' | 'partitions' | 'thresholdMs' | 'thresholdMsMax' | 'driftRate' | 'drainTimeoutMs' | 'campaign'
  >;
  readonly work: MemberWork;
}

/** One line of a member's log. `atNs` is the host's monotonic clock: comparable between the processes of one host. */
export interface MemberEvent {
  readonly atNs: bigint;
  readonly member: string;
  readonly kind: 'ready' | 'acquired' | 'revoked' | 'released' | 'fenced' | 'settled' | 'first-statement' | 'refused' | 'closed' | 'health';
  readonly partition?: number;
  readonly token?: bigint;
  /** For `acquired` and renewals of it: until when it believes, on the host's monotonic clock. */
  readonly untilNs?: bigint;
  readonly detail?: string;
}

/** A member in a process of its own, and what can be done to it. Disposing kills it. */
export interface ProcessMember extends AsyncDisposable {
  readonly member: string;
  readonly pid: number;
  /** Everything it has logged so far. */
  readonly events: readonly MemberEvent[];
  /** The first event, logged already or yet to come, that `matches`; rejects with the log so far after `withinMs`. */
  until(matches: (event: MemberEvent) => boolean, withinMs?: number): Promise<MemberEvent>;
  /** SIGKILL: resolves once the process is gone. */
  kill(): Promise<void>;
  /** SIGSTOP. */
  pause(): void;
  /** SIGCONT. */
  resume(): void;
  /** Blocks its event loop for so long; the first statement after it logs what `isLeading` says, as `first-statement`. Milliseconds. */
  block(ms: number): void;
  /** Makes it resign the partition. */
  resign(partition: number): void;
  /** Closes its source in order (like SIGTERM): resolves once the process has ended by itself. */
  close(): Promise<void>;
}
