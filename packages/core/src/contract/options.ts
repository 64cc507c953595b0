import type { Metadata } from './leader.ts';
import type { Logger } from './logger.ts';

/** Options of a call that a signal can abort. */
export interface Abortable {
  /** Ends the call early, or the source whose option it is. Each call states how. */
  readonly signal?: AbortSignal;
}

/** How a member takes part as a candidate. */
export interface CampaignOptions {
  /**
   * The greatest number of partitions that this member leads at once (M13). With `partitions: n` and
   * `partitionsMax: 1` at every member, n of them lead one each. Default: no limit.
   */
  readonly partitionsMax: number;
}

/**
 * The options of every backend. `docs/reference/options.md` lists defaults, units and relations.
 */
export interface SourceOptions extends Abortable {
  /**
   * The name of the group: its members are candidates for the same roles. A URL contains it too;
   * the two must agree.
   */
  readonly group?: string;
  /**
   * The name of this member in logs and rosters; it need not be unique (L2). Default: host name and
   * process id.
   */
  readonly member?: string;
  /** Strings that this member publishes while it takes part. At most 1 KiB as JSON. */
  readonly metadata?: Metadata;
  /**
   * M, the number of partitions over which roles are spread. Pinned by the group's first member
   * (R3). Default 1: one member leads all roles. To share work among members, set more.
   */
  readonly partitions?: number;
  /** T, how long one proof of leadership lasts. Milliseconds. Default 3000. */
  readonly thresholdMs?: number;
  /**
   * The group's cap on T, pinned together with M (R3), and the wait before the first claim in an
   * empty store (L5). Milliseconds. Default: `thresholdMs`.
   */
  readonly thresholdMsMax?: number;
  /** ρ, the largest deviation of any member's clock rate from real time. Default 0.001. */
  readonly driftRate?: number;
  /** How long an orderly end of a term waits for work (H3). Milliseconds. Default 25000. */
  readonly drainTimeoutMs?: number;
  /**
   * `false`: observe leaders, never lead. `{ partitionsMax }`: lead at most that many partitions. In a
   * URL: `campaign=false`, `partitionsMax=1`. Default `true`: lead any number.
   */
  readonly campaign?: boolean | CampaignOptions;
  /**
   * `false`: the work of this source runs in another process, which may outlive this one, so a
   * guard must not release its leases when this process dies. Default `true`.
   */
  readonly guard?: boolean;
  /**
   * Closes the source in order when the process receives one of these signals; `true`: SIGTERM and
   * SIGINT. A further signal, half a second later or more, ends the process at once. Default `false`:
   * the application closes the source itself.
   */
  readonly signals?: boolean | readonly NodeJS.Signals[];
  /**
   * Where each trouble and each warning is reported once: `console`, a pino logger, a winston
   * logger, or `false` to disable reports. Default: `process.emitWarning`, with a code such as
   * `LEADERSHIP_UNREACHABLE`.
   */
  readonly log?: Logger | false;
  /** Imports a backend's package, for bundlers and Plug'n'Play. Default: `import(specifier)`. */
  readonly load?: (specifier: string) => Promise<unknown>;
}
