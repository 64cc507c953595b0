// How a combination of sources commands each of them. Under a symbol: it is nobody else's business, and a source that somebody
// wrapped passes it on.
import type { Metadata } from '../contract/leader.ts';
import type { LeadershipSource } from '../contract/source.ts';
import type { Reporter } from '../process/report.ts';
import type { Clock } from '../time/clock.ts';

/** The key of a source's command. The same in every copy of this library that a process has loaded. */
const key: unique symbol = Symbol.for('@leadership/core/command');

/** What a combination knows of a source, and may ask of it, beside what everybody may. */
export interface Command {
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  readonly reporter: Reporter;
  readonly metadata: Metadata;
  readonly thresholdMs: number;
  readonly thresholdMsMax: number;
  readonly drainTimeoutMs: number;
  /** Whether it contends at all. */
  readonly campaigns: boolean;
  /** Whether `standBy` does anything. */
  readonly follows: boolean;
  /** Whether it is being closed, or was. */
  isClosing(): boolean;
  /** Whether it belongs to a combination. */
  isTaken(): boolean;
  /** It belongs to one from here on. */
  take(): void;
  /** The combination watches over its leaders from here on: where it may lead is for the combination to say. */
  taken(): void;
  /** Like `Role.resign`, and leaves the partition alone for `abstainMs` at least. */
  resign(partition: number, abstainMs: number): Promise<void>;
  /** Whether this member stands in that partition is another's decision: with tokens greater than `above`; `undefined`: not at all. */
  standBy(partition: number, above: bigint | undefined): void;
}

/** The command of a source; `undefined` where it was not made by this library. */
export function commandOf(source: LeadershipSource): Command | undefined {
  return isCommanded(source) ? source[key] : undefined;
}

/** Gives a source its command; it belongs to no combination yet. */
export function commanded(source: LeadershipSource, parts: Omit<Command, 'isTaken' | 'take'>): void {
  let isTaken = false;
  const take = (): void => {
    isTaken = true;
    parts.taken();
  };
  const value: Command = { ...parts, isTaken: () => isTaken, take };
  Object.defineProperty(source, key, { value });
}

function isCommanded(source: LeadershipSource): source is LeadershipSource & { readonly [key]: Command } {
  return typeof source === 'object' && source !== null && key in source;
}
