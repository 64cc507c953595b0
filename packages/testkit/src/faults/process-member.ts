import type { SourceOptions } from '@leadership/core';

/** What a member process does once it leads a partition. */
export type MemberWork =
  /** Leads every partition, idles in each term, and settles as soon as it is told to end. */
  | { readonly kind: 'idle' }
  /** Goes on for so long after it was told to end. Milliseconds. */
  | { readonly kind: 'drain'; readonly drainMs: number }
  /** Never settles. */
  | { readonly kind: 'stuck' }
  /**
   * Writes to a store in that directory again and again while it leads, under the key `partition-N`: to a fenced store with its token,
   * or to one that takes everything. Each write is `latencyMs` on its way (default 25): whoever is stopped meanwhile is a zombie.
   */
  | { readonly kind: 'write'; readonly store: string; readonly fenced: boolean; readonly latencyMs?: number };

/** How a member process is started: everything must survive a trip over JSON. */
export interface ProcessMemberOptions {
  /** Opened with `openLeadership` in the child. */
  readonly url: string;
  readonly options: Pick<
    SourceOptions,
    'member' | 'partitions' | 'thresholdMs' | 'thresholdMsMax' | 'driftRate' | 'drainTimeoutMs' | 'campaign'
  >;
  readonly work: MemberWork;
  /**
   * The module that exports `backend`, as a URL or a specifier that resolves from the testkit; for adapters `openLeadership` does
   * not know, or cannot find from where it is installed. Default: whatever `openLeadership` loads for the URL's scheme.
   */
  readonly module?: string;
}

/** What a member process tells of. */
export type MemberEventKind =
  /** The source is open; nothing is known of the backend yet. */
  | 'opened'
  /** `ready()` resolved. */
  | 'ready'
  /** The options do not hold together, or `ready()` rejected: `detail` is the code and what to do. */
  | 'refused'
  /** A term began, and was seen to be current at `atNs`. */
  | 'acquired'
  /** The term believes longer than was said before: seen at `atNs`. */
  | 'prolonged'
  | 'revoked'
  /** The term ended in order. */
  | 'released'
  /** The term is over at once: `detail` is the reason. */
  | 'fenced'
  /** The term's work has begun. Absent where the term ended before that: an earlier run of the member may still occupy the partition. */
  | 'working'
  /** The term's work has settled. */
  | 'settled'
  /** A write went on its way, took effect, was refused as the token is too low, or failed: `detail` is its value. */
  | 'writing'
  | 'wrote'
  | 'write-refused'
  | 'write-failed'
  /** `isLeading()` in the first statement after a block: `detail` is `true` or `false`. */
  | 'first-statement'
  /** A trouble came or went: `detail` is which. */
  | 'health'
  /** The source is closed. The process ends by itself, or `detail` names what keeps it. */
  | 'closed';

/** One line of a member's log. `atNs` is the host's monotonic clock: comparable between the processes of one host. */
export interface MemberEvent {
  readonly atNs: bigint;
  readonly member: string;
  /** Which process it was: a member started again under the same name is another (L2). */
  readonly life: string;
  readonly kind: MemberEventKind;
  readonly partition?: number;
  readonly token?: bigint;
  /** For `acquired` and `prolonged`: until when it believes at least, on the host's monotonic clock. */
  readonly untilNs?: bigint;
  /** For `released` and `fenced`: the last instant at which it was seen to lead; absent where it never was. */
  readonly ledNs?: bigint;
  readonly detail?: string;
}

/** A member in a process of its own, and what can be done to it. Disposing kills it. */
export interface ProcessMember extends AsyncDisposable {
  readonly member: string;
  readonly pid: number;
  /** Everything it has logged so far. */
  readonly events: readonly MemberEvent[];
  /**
   * The first event, logged already or yet to come, that `matches`; rejects with the log so far after `withinMs`, or once the
   * process is gone. Milliseconds, default 20 000.
   */
  until(matches: (event: MemberEvent) => boolean, withinMs?: number): Promise<MemberEvent>;
  /** SIGKILL: resolves once the process is gone, and everything it said is in `events`. */
  kill(): Promise<void>;
  /** SIGSTOP. A process that is paused when the test dies is killed all the same. */
  pause(): void;
  /** SIGCONT. */
  resume(): void;
  /** Blocks its event loop for so long; the first statement after it logs what `isLeading` says, as `first-statement`. Milliseconds. */
  block(ms: number): void;
  /** Makes it resign the partition. */
  resign(partition: number): void;
  /** Closes its source in order (like SIGTERM): resolves once the process has ended by itself, and rejects where it does not. */
  close(): Promise<void>;
}
