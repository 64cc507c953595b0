import type { Guarantees, LeadershipEvent } from '@leadership/core';
import type { Observation } from './member-message.ts';

/** A change of leader, measured on the host's monotonic clock. */
export interface Succession {
  readonly cause: 'crash' | 'hand-over';
  readonly from: string;
  readonly to: string;
  /**
   * Milliseconds from just before the crash, or from the predecessor's release, until the successor
   * led.
   */
  readonly tookMs: number;
  /** For a hand-over: milliseconds from the request until the predecessor released. */
  readonly drainedMs?: number;
  /** The longest total event-loop stall of any one member during the change, in milliseconds. */
  readonly stallMs: number;
  /**
   * The store's longest response time during the change, in milliseconds. Present if the guarantee
   * excludes response times.
   */
  readonly answerMs?: number;
}

/** Something that happened in the demo, for a view to show. */
export type DemoEvent =
  | { readonly kind: 'setup'; readonly atNs: bigint; readonly setup: Setup }
  | {
      readonly kind: 'started';
      readonly atNs: bigint;
      readonly member: string;
      readonly pid: number;
    }
  | {
      readonly kind: 'crashed';
      readonly atNs: bigint;
      readonly member: string;
      readonly pid: number;
      readonly how: string;
    }
  | { readonly kind: 'asked'; readonly atNs: bigint; readonly member: string }
  | { readonly kind: 'event'; readonly atNs: bigint; readonly event: LeadershipEvent }
  | {
      readonly kind: 'observation';
      readonly atNs: bigint;
      readonly member: string;
      readonly observation: Observation;
    }
  | { readonly kind: 'succession'; readonly atNs: bigint; readonly succession: Succession };

/** The backend, members and guarantees of a run. */
export interface Setup {
  readonly backend: string;
  readonly home: string;
  readonly members: readonly string[];
  readonly thresholdMs: number;
  readonly guarantees: Guarantees;
}

/** The result of a run. */
export interface Summary {
  readonly setup: Setup;
  readonly successions: readonly Succession[];
  /** The number of terms that were observed. */
  readonly terms: number;
  /** The number of observations. */
  readonly observations: number;
  /** One sentence for each promise that was broken. */
  readonly broken: readonly string[];
}
