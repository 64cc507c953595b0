// The data that the demo passes to the view that prints it: its set-up, its events and its summary.
import type { Guarantees } from '@leadership/core';
import type { MemberEvent } from './members.ts';

/** A change of leader, measured on the host's monotonic clock. */
export interface Succession {
  readonly cause: 'crash' | 'hand-over';
  readonly from: string;
  readonly to: string;
  /**
   * Milliseconds from just before the crash, or from the end of the predecessor's command, until the
   * successor led.
   */
  readonly tookMs: number;
  /** For a hand-over: milliseconds from the request until the predecessor's command had ended. */
  readonly drainedMs?: number;
  /** The longest time that any one member waited for a processor meanwhile, in milliseconds. */
  readonly waitedMs: number;
  /**
   * The store's longest response time during the change, in milliseconds. Present if the guarantee
   * excludes response times.
   */
  readonly answerMs?: number;
}

/** Something that happened in the demo, for a view to show. */
export type DemoEvent =
  | { readonly kind: 'setup'; readonly setup: Setup }
  | {
      readonly kind: 'started' | 'killed';
      readonly atNs: bigint;
      readonly member: string;
      readonly pid: number;
    }
  | { readonly kind: 'asked'; readonly atNs: bigint; readonly member: string }
  | ({ readonly kind: 'member'; readonly atNs: bigint } & MemberEvent)
  | { readonly kind: 'succession'; readonly atNs: bigint; readonly succession: Succession };

/** The backend, members and guarantees of a run. */
export interface Setup {
  readonly backend: string;
  readonly home: string;
  readonly members: readonly string[];
  readonly thresholdMs: number;
  readonly guarantees: Guarantees;
  /** The command line of each member, without its name. */
  readonly command: string;
}

/** The result of a run. */
export interface Summary {
  readonly setup: Setup;
  readonly successions: readonly Succession[];
  /** The number of terms. */
  readonly terms: number;
  /** The number of lines that the commands wrote. */
  readonly lines: number;
  /** One sentence for each promise that was broken. */
  readonly broken: readonly string[];
}

/** An output of the demo: on a terminal, as plain lines, or as JSON. Disposing restores the terminal. */
export interface View extends Disposable {
  show(demoEvent: DemoEvent): void;
  finish(summary: Summary): void;
}
