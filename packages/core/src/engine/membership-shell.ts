// The part of a membership that is the same in every protocol: admission, timers, health, streams
// that are reopened, and an orderly end.
import { type FollowOptions, follow } from '../async/follow.ts';
import { Once } from '../async/once.ts';
import type { BackOff } from '../async/retry.ts';
import type { Host } from '../contract/backend.ts';
import type { LeadershipError, LeadershipErrorCode } from '../contract/leadership-error.ts';
import { manyListeners } from '../process/many-listeners.ts';
import { type Alarm, alarm } from '../time/alarm.ts';
import { after, type Instant } from '../time/instant.ts';
import type { NewTimer } from './driver.ts';
import { HealthReporter, toLeadershipError } from './health-reporter.ts';

/** Errors that cannot resolve by themselves. They refuse a member that is not ready yet. */
const final: readonly LeadershipErrorCode[] = [
  'unauthorized',
  'misconfigured-backend',
  'partitions-differ',
];

/**
 * How long a momentary trouble stays in `health()`, in T: long enough for a health probe to see it.
 */
const shownThresholds = 10;

/** A stream of a part. Its trouble ends with the next item, or T after it was reopened. */
type Stream<T> = Pick<FollowOptions<T>, 'open' | 'each'> & Partial<Pick<FollowOptions<T>, 'broke'>>;

/** The parts of a membership that its shell needs. */
export interface ShellParts {
  readonly host: Host;
  /** T. Milliseconds. */
  readonly thresholdMs: number;
  /** The member is refused and must not campaign any more. */
  readonly refused: (why: LeadershipError) => void;
}

/** One member of a group, whatever its protocol. */
export class MembershipShell {
  readonly host: Host;
  readonly health: HealthReporter;
  /** The delays between attempts to reach a store that does not answer: from T/20 to T/2. */
  readonly backOff: BackOff;
  readonly #thresholdMs: number;
  readonly #refused: ShellParts['refused'];
  readonly #alarm: Alarm;
  readonly #timers: (() => void)[] = [];
  readonly #stop = new AbortController();
  #admission: 'pending' | 'ready' | 'refused' = 'pending';
  readonly #closing = new Once();

  constructor({ host, thresholdMs, refused }: ShellParts) {
    this.host = host;
    this.health = new HealthReporter(host);
    this.backOff = { firstMs: thresholdMs / 20, lastMs: thresholdMs / 2, random: host.random };
    this.#thresholdMs = thresholdMs;
    this.#refused = refused;
    this.#alarm = alarm(host.clock, (index) => this.#timers[index]?.());
    manyListeners(this.#stop.signal);
  }

  /** Aborts once the member has left the group. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** Whether the member is leaving, or has left. */
  get isClosed(): boolean {
    return this.#closing.hasBegun;
  }

  /** Whether the member takes part: not yet, now, or never. */
  get admission(): 'pending' | 'ready' | 'refused' {
    return this.#admission;
  }

  readonly timer: NewTimer = (due) => {
    const index = this.#timers.push(due) - 1;
    return (at) => this.#alarm.set(index, at);
  };

  /** Reports a trouble that has no end of its own for long enough to be seen. */
  raiseBriefly(topic: string, error: unknown): void {
    this.health.raise(topic, error, this.#in(shownThresholds));
  }

  /**
   * Follows a stream until the member has left. Raises its errors as troubles, and reopens it, unless
   * `broke` decides otherwise.
   */
  follow<T>(topic: string, { open, each, broke }: Stream<T>): void {
    const options: FollowOptions<T> = {
      open,
      each: (item) => {
        this.health.mend(topic);
        each(item);
      },
      broke: (error) => {
        if (broke) return broke(error);
        this.health.raise(topic, error);
        return true;
      },
      reopened: () => this.health.mendAt(topic, this.#in(1)),
    };
    void follow(options, this.backOff, this.host.clock, this.signal);
  }

  /** Reports that the member takes part. */
  ready(): void {
    if (this.#admission !== 'pending') return;
    this.#admission = 'ready';
    this.host.ready();
  }

  /**
   * Reports a failure. Returns whether to try again: an error that cannot resolve by itself refuses
   * a member that is not ready yet.
   */
  failed(topic: string, error: unknown): boolean {
    const isFinal = this.#admission === 'pending' && final.includes(toLeadershipError(error).code);
    if (isFinal) this.refuse(topic, error);
    else this.health.raise(topic, error);
    return !isFinal;
  }

  /** Refuses this member for good. */
  refuse(topic: string, error: unknown): void {
    this.health.raise(topic, error);
    if (this.#admission === 'refused') return;
    const why = toLeadershipError(error);
    this.#admission = 'refused';
    this.#refused(why);
    this.host.refused(why.code, why.message, why.cause);
  }

  /**
   * Lets the member leave, then stops all timers and streams and closes the parts, all of them even
   * if one throws. Does so once, whatever the number of calls.
   */
  close(leave: () => Promise<unknown>, ...parts: readonly (() => unknown)[]): Promise<void> {
    return this.#closing.run(() => this.#close(leave, parts));
  }

  async #close(leave: () => Promise<unknown>, parts: readonly (() => unknown)[]): Promise<void> {
    await leave();
    this.#stop.abort();
    this.#alarm[Symbol.dispose]();
    this.health[Symbol.dispose]();
    const ends = await Promise.allSettled(parts.map(async (close) => close()));
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  }

  #in(thresholds: number): Instant {
    return after(this.host.clock.now(), thresholds * this.#thresholdMs);
  }
}
