// The options of a member process, and the handle by which a test controls it.
import type { SourceOptions } from '@leadership/core';

/** The work of a member process in each of its terms. */
export type MemberWork =
  /**
   * Does not work, and logs only when terms begin and end, not their deadlines: for measurements,
   * which polling would disturb.
   */
  | { readonly kind: 'none' }
  /** Idles and settles as soon as its signal aborts. */
  | { readonly kind: 'idle' }
  /** Continues for this time after its signal aborts, in milliseconds. */
  | { readonly kind: 'drain'; readonly drainMs: number }
  /** Never settles. */
  | { readonly kind: 'stuck' }
  /**
   * Does not work: opens a source and closes it again, at each moment of its start, then ends. Logs
   * `left` for a moment after which something stays open.
   */
  | { readonly kind: 'close' }
  /**
   * Writes to a store in that directory again and again while it leads, under the key
   * `partition-N`: to a fenced store with its token, or to one that takes everything. Each write is
   * `latencyMs` on its way (default 25): a member that is stopped meanwhile is a zombie.
   */
  | {
      readonly kind: 'write';
      readonly store: string;
      readonly fenced: boolean;
      readonly latencyMs?: number;
    };

/** The options of a member process. All values must be serializable as JSON. */
export interface ProcessMemberOptions {
  /** The URL that the child process opens with `openLeadership`. */
  readonly url: string;
  /** The options of the source that the child process opens. */
  readonly options: Pick<
    SourceOptions,
    | 'member'
    | 'partitions'
    | 'thresholdMs'
    | 'thresholdMsMax'
    | 'driftRate'
    | 'drainTimeoutMs'
    | 'campaign'
  >;
  /** The work of the member in each of its terms. */
  readonly work: MemberWork;
  /**
   * The module that exports `backend`, as a URL or a specifier that resolves from the testkit; for
   * adapters `openLeadership` does not know, or cannot find from where it is installed. Default:
   * whatever `openLeadership` loads for the URL's scheme.
   */
  readonly module?: string;
  /**
   * The names of more members in the same process, with the same options. No command reaches them:
   * only `kill` ends a process that has some.
   */
  readonly beside?: readonly string[];
}

/**
 * One event in a member's log. `atNs` is the host's monotonic clock, which all processes of the
 * host share.
 */
export interface MemberEvent {
  /** When the event happened, on the host's monotonic clock. Nanoseconds. */
  readonly atNs: bigint;
  /** The name of the member. */
  readonly member: string;
  /** The incarnation: a restarted member with the same name has a new one (L2). */
  readonly life: string;
  /** What happened. */
  readonly kind: /** The source is open; the backend was not contacted yet. */
    | 'opened'
    /** `ready()` resolved. */
    | 'ready'
    /** The options are invalid, or `ready()` rejected: `detail` contains the code and the remedy. */
    | 'refused'
    /** A term began and was current at `atNs`. */
    | 'acquired'
    /** The deadline of the term was extended, as observed at `atNs`. */
    | 'prolonged'
    | 'revoked'
    /** The member is about to resign the partition, on command. */
    | 'resigning'
    /** The term ended in order. */
    | 'released'
    /** The term was fenced: `detail` is the reason. */
    | 'fenced'
    /**
     * The work of the term has begun. Missing if the term ended before, for example because earlier
     * work still runs.
     */
    | 'working'
    /** The work of the term has settled. */
    | 'settled'
    /**
     * A write was sent, took effect, was rejected because of its token, or failed: `detail` is its
     * value.
     */
    | 'writing'
    | 'wrote'
    | 'write-refused'
    | 'write-failed'
    /** The result of `isLeading()` directly after a block: `detail` is `true` or `false`. */
    | 'first-statement'
    /** The answers to `cpuMs`, `stallMs` and `busyMs`: `detail` is the number. */
    | 'cpu'
    | 'stall'
    | 'busy'
    /** A backend's module that measures has logged this itself: `detail` says what. */
    | 'measured'
    /** A trouble began or ended: `detail` describes it. */
    | 'health'
    /** A closed source left resources open: `detail` names them, and the moment of the close. */
    | 'left'
    /**
     * The source is closed. If the process does not exit, `detail` names the resources that keep it
     * alive.
     */
    | 'closed';
  /** The partition, if the event concerns a single one. */
  readonly partition?: number;
  /** For events of a term: its fencing number. */
  readonly token?: bigint;
  /**
   * For `acquired` and `prolonged`: the earliest end of the term, on the host's monotonic clock.
   */
  readonly untilNs?: bigint;
  /**
   * For `released` and `fenced`: the last instant at which the member was observed to lead, if any.
   */
  readonly ledNs?: bigint;
  /** More about the event: its kind says what. */
  readonly detail?: string;
}

/** A member in a separate process, with methods that inject faults. Disposal kills it. */
export interface ProcessMember extends AsyncDisposable {
  /** The name of the member. */
  readonly member: string;
  /** The id of its process. */
  readonly pid: number;
  /** All events logged so far. */
  readonly events: readonly MemberEvent[];
  /**
   * The first event, logged already or yet to come, that `matches`; rejects with the log so far
   * after `withinMs`, or once the process is gone. Milliseconds, default 20 000.
   */
  until(matches: (event: MemberEvent) => boolean, withinMs?: number): Promise<MemberEvent>;
  /** Sends SIGKILL. Resolves once the process has ended and `events` is complete. */
  kill(): Promise<void>;
  /** Sends SIGSTOP. If the test dies, the paused process is killed too. */
  pause(): void;
  /** Sends SIGCONT. */
  resume(): void;
  /**
   * Blocks its event loop for so long; the first statement after it logs what `isLeading` says, as
   * `first-statement`. Milliseconds.
   */
  block(ms: number): void;
  /** Makes the member resign the partition. It logs `resigning` first. */
  resign(partition: number): void;
  /**
   * Closes its source in order (like SIGTERM): resolves once the process has ended by itself, and
   * rejects where it does not.
   */
  close(): Promise<void>;
}

/** A member in a process of its own, with what measurements need. */
export interface SpawnedMember extends ProcessMember {
  /** Lets the process die by an uncaught exception, or by `process.exit()`. */
  die(by: 'throw' | 'exit'): void;
  /** Resolves with the processor time that the process has used so far. Milliseconds. */
  cpuMs(): Promise<number>;
  /**
   * Resolves with the longest stall of its event loop since the previous call; the first call begins
   * to measure, and resolves with 0. Milliseconds.
   */
  stallMs(): Promise<number>;
  /** The same without the time in which the process could have run and had no core. */
  busyMs(): Promise<number>;
}
