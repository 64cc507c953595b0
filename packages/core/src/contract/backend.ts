import type { Clock } from '../time/clock.ts';
import type { Instant } from '../time/instant.ts';
import type { Guarantees } from './guarantees.ts';
import type { Leader } from './leader.ts';
import type { LossReason } from './leadership.ts';
import type { LeadershipErrorCode } from './leadership-error.ts';

/** A proof of leadership: this member leads `partition` in term `token` until `until`. */
export interface Grant {
  readonly partition: number;
  readonly token: bigint;
  readonly until: Instant;
  /** Before what proves it was sent: where the machine has slept since, the proof has slept too, and is none (H6). */
  readonly sentAt: Instant;
}

/** A leader as a backend knows it: by the incarnation, which is unique where names are not (L2). */
export interface KnownLeader extends Omit<Leader, 'self'> {
  readonly incarnation: string;
}

/** The port: anything with a protocol of its own. Everything a user sees is made from what it tells its host. */
export interface Backend {
  readonly guarantees: Guarantees;
  /** Starts contending. Must not throw: trouble is told to the host. */
  start(host: Host): Membership;
}

/** A backend at work, as its host commands it. */
export interface Membership {
  /**
   * Gives the partition up after a drain, and claims it no more for a while (L9): at least `abstainMs` where given.
   * Resolves once this member proves nothing there.
   */
  resign(partition: number, abstainMs?: number): Promise<void>;
  /** Takes part in elections, or only observes: of that partition, or of all. Standing anew ends what `resign` began. */
  campaign(on: boolean, partition?: number): void;
  /**
   * From here on another source decides who stands in that partition, and no placement does (`allOf`): this member does, and the
   * terms it begins there have tokens greater than `above`; or, with `undefined`, does not, and hands over what it holds. Not told
   * to members that only observe. A backend without it can be the first source of `allOf`, and no other.
   */
  standBy?(partition: number, above: bigint | undefined): void;
  /** Drains and releases whatever is held, then stops: no timer, socket or handle is left. Idempotent. */
  close(): Promise<void>;
}

/** What a backend tells, and what it may ask. Every call is safe at any time, also after close. */
export interface Host {
  readonly member: string;
  /** This life of the member: fresh and unguessable at every start. */
  readonly incarnation: string;
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  /** Aborts when the source is to end without waiting any longer. */
  readonly signal: AbortSignal;
  /** A proof was seen. `over`: that term has ended here, the proof revives nothing (T3, H4). */
  granted(grant: Grant): 'prolonged' | 'began' | 'over';
  /** Belief is over, for this reason (H4); or, after a drain, the partition was let go. */
  lost(partition: number, reason: LossReason): void;
  /** The partition was handed over: belief ended in order, after its drain. */
  released(partition: number): void;
  /** Ends the term in order (H2): the only road to a barrier. On `fenced` stop proving (H3). */
  drain(partition: number): Promise<'drained' | 'fenced'>;
  /** Who leads the partition now, as far as the backend has read. */
  leads(partition: number, leader: KnownLeader | undefined): void;
  /** Something is wrong; disposing says that it is mended. */
  trouble(code: LeadershipErrorCode, message: string, cause?: unknown): Disposable;
  /** Something works, yet weakens a promise or will cost something one day; disposing says that it is mended. */
  warning(code: LeadershipErrorCode, message: string, cause?: unknown): Disposable;
  /** An input was dropped. */
  ignored(what: string): void;
  /** Something was measured that a user may want to know: replaces what was measured before under that name. */
  measured(what: string, value: number): void;
  /** The backend answered something just now. */
  confirmed(): void;
  /** The backend is reached and agrees with the options. */
  ready(): void;
  /** It never will be: `ready()` and `lead` reject, streams end in `refused`. The backend keeps quiet from here on. */
  refused(code: LeadershipErrorCode, message: string, cause?: unknown): void;
}
