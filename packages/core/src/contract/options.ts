import type { Metadata } from './leader.ts';
import type { Logger } from './logger.ts';

/** Something a signal can call off. */
export interface Abortable {
  readonly signal?: AbortSignal;
}

/** What every backend takes. Defaults, units and relations in one table: `docs/options.md`. */
export interface SourceOptions extends Abortable {
  /** The members that contend for the same roles. A URL names it too; the two must agree. */
  readonly group?: string;
  /** This member's name, for people and rosters; need not be unique (L2). Default: host name and process id. */
  readonly member?: string;
  /** Published with every proof of leadership. At most 1 KiB as JSON. */
  readonly metadata?: Metadata;
  /** M, how many partitions roles are spread over. Pinned by the group's first member (R3). Default 8. */
  readonly partitions?: number;
  /** T, how long one proof of leadership may be believed. Milliseconds. Default 3000. */
  readonly thresholdMs?: number;
  /** The group's cap on T, pinned with M (R3); how long an empty store is waited for (L5). Milliseconds. Default: `thresholdMs`. */
  readonly thresholdMsMax?: number;
  /** ρ, how far any member's clock may run from real time. Default 0.001. */
  readonly driftRate?: number;
  /** How long an orderly end waits for work (H3). Milliseconds. Default 25000. */
  readonly drainTimeoutMs?: number;
  /** `false`: observe who leads, never lead. Default `true`. */
  readonly campaign?: boolean;
  /**
   * Where each trouble and each warning is reported once: `console`, a pino logger, a winston logger, or `false` for nowhere.
   * Default: `process.emitWarning`, with a code such as `LEADERSHIP_UNREACHABLE`.
   */
  readonly log?: Logger | false;
  /** How a backend's package is imported; for bundlers and Plug'n'Play. Default: `import(specifier)`. */
  readonly load?: (specifier: string) => Promise<unknown>;
}
