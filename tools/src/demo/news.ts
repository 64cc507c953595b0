import type { Guarantees, LeadershipEvent } from '@leadership/core';
import type { Look } from './note.ts';

/** How leadership went from one member to another, measured on the host's monotonic clock. */
export interface Succession {
  readonly cause: 'crash' | 'hand-over';
  readonly from: string;
  readonly to: string;
  /** From just before the crash, or from when the predecessor let go, until the successor led. Milliseconds. */
  readonly tookMs: number;
  /** For a hand-over: from the request until the predecessor let go. Milliseconds. */
  readonly drainedMs?: number;
  /** For how long the event loop of the member that stood still most did so meanwhile. Milliseconds. */
  readonly stallMs: number;
  /** The slowest answer of the store meanwhile, where the guarantee leaves such answers out. Milliseconds. */
  readonly answerMs?: number;
}

/** What happens in the demo, for whoever shows it. */
export type News =
  | { readonly kind: 'curtain'; readonly atNs: bigint; readonly setting: Setting }
  | { readonly kind: 'started'; readonly atNs: bigint; readonly member: string; readonly pid: number }
  | { readonly kind: 'crashed'; readonly atNs: bigint; readonly member: string; readonly pid: number; readonly how: string }
  | { readonly kind: 'asked'; readonly atNs: bigint; readonly member: string }
  | { readonly kind: 'event'; readonly atNs: bigint; readonly event: LeadershipEvent }
  | { readonly kind: 'look'; readonly atNs: bigint; readonly member: string; readonly look: Look }
  | { readonly kind: 'succession'; readonly atNs: bigint; readonly succession: Succession };

/** What the demo plays on. */
export interface Setting {
  readonly backend: string;
  readonly home: string;
  readonly members: readonly string[];
  readonly thresholdMs: number;
  readonly guarantees: Guarantees;
}

/** What came out. */
export interface Summary {
  readonly setting: Setting;
  readonly successions: readonly Succession[];
  /** How many terms were seen, and how often a member looked whether it leads. */
  readonly terms: number;
  readonly looks: number;
  /** The promises that were broken, each as a sentence. */
  readonly broken: readonly string[];
}
