// The commands that a combination gives to its sources. They are stored under a symbol, because
// they are not public; a wrapper around a source passes them through.
import type { Capacity } from '../contract/backend.ts';
import type { Metadata } from '../contract/leader.ts';
import type { LeadershipSource } from '../contract/source.ts';
import type { Reporter } from '../process/trouble-reporter.ts';
import type { Clock } from '../time/clock.ts';

/** The key of a source's commands. It is the same in every copy of this library in a process. */
const key: unique symbol = Symbol.for('@leadership/core/command');

/** What a combination can read from a source and ask of it, in addition to the public interface. */
export interface Command {
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  readonly reporter: Reporter;
  readonly metadata: Metadata;
  readonly thresholdMs: number;
  readonly thresholdMsMax: number;
  readonly drainTimeoutMs: number;
  /** Whether the source campaigns at all. */
  readonly campaigns: boolean;
  /** The greatest number of partitions that it leads at once (M13); `undefined`: no limit. */
  readonly partitionsMax: number | undefined;
  /** Returns how many partitions the candidates of its group may lead, if not all. */
  capacity(): Capacity | undefined;
  /** Whether `standBy` has an effect. */
  readonly follows: boolean;
  /** Returns whether the source is closing or closed. */
  isClosing(): boolean;
  /** Returns whether the source belongs to a combination. */
  isTaken(): boolean;
  /** Marks the source as part of a combination. */
  take(): void;
  /**
   * Called when a combination takes the source. From then on the combination watches for partitions
   * without a leader.
   */
  taken(): void;
  /**
   * Resigns like `Role.resign`, and abstains from the partition for at least `abstainMs`
   * milliseconds.
   */
  resign(partition: number, abstainMs: number): Promise<void>;
  /**
   * Sets whether this member is a candidate for the partition: with tokens greater than `above`, or
   * not at all if `undefined`.
   */
  standBy(partition: number, above: bigint | undefined): void;
  /** Publishes the code of the first trouble of the combination, unless the source has one of its own. */
  suffers(code: string | undefined): void;
  /** Notes a role that the application has asked for. */
  asksFor(role: string | number): void;
  /** Makes the tokens of later terms in that partition exceed `token`. */
  exceed(partition: number, token: bigint): void;
}

/** Returns the commands of a source, or `undefined` if this library did not create it. */
export function commandOf(source: LeadershipSource): Command | undefined {
  return isCommanded(source) ? source[key] : undefined;
}

/** Attaches commands to a source that belongs to no combination yet. */
export function offerCommand(
  source: LeadershipSource,
  parts: Omit<Command, 'isTaken' | 'take'>,
): void {
  let isTaken = false;
  const take = (): void => {
    isTaken = true;
    parts.taken();
  };
  const value: Command = { ...parts, isTaken: () => isTaken, take };
  Object.defineProperty(source, key, { value });
}

function isCommanded(
  source: LeadershipSource,
): source is LeadershipSource & { readonly [key]: Command } {
  return typeof source === 'object' && source !== null && key in source;
}
