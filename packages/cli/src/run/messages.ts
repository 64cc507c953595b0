// The messages between `leadership run` and its watchdog.

/** The commands of the wrapper to its watchdog. */
export type Order =
  | ({
      readonly kind: 'start';
      readonly spec: CommandSpec;
      readonly wrapper: WrapperSpec;
    } & Deadlines)
  /** The lease was renewed. */
  | ({ readonly kind: 'extend' } & Deadlines)
  /** Pass a signal on to the command. */
  | { readonly kind: 'signal'; readonly signal: NodeJS.Signals }
  /** End the command: with this signal, and after `graceMs` with SIGKILL. */
  | { readonly kind: 'stop'; readonly signal: NodeJS.Signals; readonly graceMs: number }
  /** Kill the command now. */
  | { readonly kind: 'kill' };

/** The command, and how long it may take to end. */
export interface CommandSpec {
  readonly command: string;
  readonly args: readonly string[];
  /** Environment variables in addition to those of the wrapper. */
  readonly env: Readonly<Record<string, string>>;
  /** Milliseconds between SIGTERM and SIGKILL. */
  readonly graceMs: number;
}

/** The wrapper, for the case that it dies before its command. */
export interface WrapperSpec {
  /** Its process id: the watchdog has another parent once the wrapper is dead. */
  readonly pid: number;
  /** How to release its leases then. Absent if the backend cannot release for a dead member. */
  readonly member?: MemberSpec;
}

/** A member of a group, and how another process opens the same group. */
export interface MemberSpec {
  readonly url: string;
  /** The values of `--option`. */
  readonly pairs: readonly string[];
  readonly partitions?: number;
  readonly member: string;
  readonly incarnation: string;
}

/** Instants of the host's monotonic clock, which its processes share. Milliseconds. */
export interface Deadlines {
  /** SIGTERM: the lease is about to end. */
  readonly termAtMs: number;
  /** SIGKILL: the lease has not ended yet. */
  readonly killAtMs: number;
}

/** The process that ended the command: itself, the wrapper, or the watchdog because the lease was ending. */
export type EndCause = 'itself' | 'stopped' | 'expired';

/** How the command ended. Its process group has ended. */
export interface Ended {
  readonly kind: 'ended';
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly cause: EndCause;
}

/** The reports of the watchdog. */
export type Report =
  | { readonly kind: 'started'; readonly pid: number }
  /** The command could not be started; `code` is that of the system, such as `ENOENT`. */
  | { readonly kind: 'failed'; readonly code: string; readonly message: string }
  | Ended;

/** Reads the host's monotonic clock. Milliseconds. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
