// The interface between a source, which applications use, and a backend, which elects: `Backend`
// and `Membership` are implemented by the backend, `Host` by the source.
import type { Clock } from '../time/clock.ts';
import type { Instant } from '../time/instant.ts';
import type { Guarantees } from './guarantees.ts';
import type { Leader, Metadata } from './leader.ts';
import type { LossReason } from './leadership.ts';
import type { LeadershipErrorCode } from './leadership-error.ts';
import type { TermEnd } from './term-end.ts';

/** A proof of leadership: this member leads `partition` in term `token` until `until`. */
export interface Grant {
  /** The partition that this member leads. */
  readonly partition: number;
  /** The fencing number of the term (T1). */
  readonly token: bigint;
  /** When the proof expires, by the clock of the host. */
  readonly until: Instant;
  /**
   * The instant before the proof was requested. If the machine has slept since then, the proof is
   * void (H6).
   */
  readonly sentAt: Instant;
}

/**
 * A proof of leadership that rests on the lease of the member: this member leads `partition` in term
 * `token` until the deadline that `Host.prolonged` has reported. Later deadlines prolong the term
 * too.
 */
export interface MemberGrant extends Pick<Grant, 'partition' | 'token'> {
  /** Never set: it distinguishes this proof from one with a deadline of its own. */
  readonly until?: undefined;
  /**
   * Which lease of the member, if it has several because its store consists of several (M12). Default: 0.
   */
  readonly lease?: number;
}

/** A leader as a backend knows it. The incarnation is unique, unlike the member name (L2). */
export interface KnownLeader extends Omit<Leader, 'self'> {
  /** The incarnation of the leader. */
  readonly incarnation: string;
}

/** A present member as a backend knows it, this one included. */
export interface KnownMember extends Publication {
  /** Which run of the member it is. */
  readonly incarnation: string;
  /** The name of the member. */
  readonly member: string;
  /** Whether it is a candidate, and not only an observer. */
  readonly isCandidate: boolean;
  /** The strings that it publishes about itself. */
  readonly metadata: Metadata;
  /** When it began to take part, by its wall clock: milliseconds since 1970. Absent: not known. */
  readonly since?: number;
}

/** What a member publishes about itself that changes while it runs. */
export interface Publication {
  /** The code of its first trouble. Absent: it has none. */
  readonly trouble?: string;
  /** The names of the roles that it has asked for. */
  readonly roles?: readonly string[];
}

/** How many partitions the present candidates of a group may lead together, because each has a limit. */
export interface Capacity {
  /** The number of candidates. */
  readonly members: number;
  /** The number of partitions that they may lead: fewer than there are. */
  readonly partitions: number;
}

/**
 * The interface of a backend with its own protocol. The source derives everything that a user sees
 * from the calls to its host.
 */
export interface Backend {
  /** What this backend guarantees under its options. Constant. */
  readonly guarantees: Guarantees;
  /** Starts taking part. Must not throw; errors are reported to the host. */
  start(host: Host): Membership;
}

/** A running backend, controlled by its host. */
export interface Membership {
  /**
   * Drains and releases the partition, and does not claim it again for a while (L9): at least
   * `abstainMs` milliseconds, if given. Resolves once this member sends no more proofs of the term
   * that it had there; a later term is not waited for.
   */
  resign(partition: number, abstainMs?: number): Promise<void>;
  /**
   * Starts or stops campaigning, for that partition or for all. A member that does not campaign
   * only observes. Starting again ends the abstention of `resign`.
   */
  campaign(on: boolean, partition?: number): void;
  /**
   * Lets another source decide, instead of the placement, whether this member is a candidate for
   * that partition (`allOf`). A bigint makes it a candidate, and the terms that it begins have
   * tokens greater than `above`. `undefined` makes it hand over what it holds. Not called for
   * members that only observe. A backend without this method can only be the first source of
   * `allOf`.
   */
  standBy?(partition: number, above: bigint | undefined): void;
  /**
   * Notes that a store outside this backend has accepted `token`: terms that this member begins in
   * that partition from now on have greater tokens (T1). A token that leaves no room for later ones
   * is counted, and not adopted. A backend without this method knows the tokens of its group alone.
   */
  exceed?(partition: number, token: bigint): void;
  /**
   * Releases what that incarnation holds, because it was proved dead (L16). Resolves once nothing is
   * left to release. A backend without this method does not support a guard.
   */
  died?(incarnation: string): Promise<void>;
  /**
   * Returns the milliseconds after which this member regards the lease of another leader as lapsed,
   * unless it reads a renewal. `undefined`, and a backend without this method: not known.
   */
  leaseMs?(partition: number): number | undefined;
  /**
   * Returns whether a member or a leader that this member reports may have been gone already when this
   * member started, because it has read nothing of it since, or whether a present member may be missing. It
   * is known after T at the latest. A backend without this method reports the present ones only, and all.
   */
  isUnsure?(): boolean;
  /**
   * Replaces a text that a package keeps in the store of the group under this name. `next` receives the
   * text, `undefined` if there is none, and returns the one that replaces it, or `undefined` to leave it;
   * it is called again if another member was faster. No text may be used twice. Resolves with the text
   * that the store holds then. Rejects if the outcome is unknown: the text may have been replaced. A
   * backend without this method keeps no texts.
   */
  replaceText?(
    name: string,
    next: (text: string | undefined) => string | undefined,
  ): Promise<string | undefined>;
  /**
   * Notes what this member publishes about itself. It travels with the next message that is sent
   * anyway, and causes none. A backend without this method publishes nothing.
   */
  publish?(publication: Publication): void;
  /**
   * Drains and releases all partitions, then stops. No timer, socket or handle remains. Idempotent.
   */
  close(): Promise<void>;
}

/**
 * The callbacks and services that a source gives to its backend. Every call is safe at any time,
 * even after close.
 */
export interface Host {
  /** The name of this member, for logs and rosters. */
  readonly member: string;
  /** The identity of this run of the member: new and unguessable at every start. */
  readonly incarnation: string;
  /** The only clock that a backend may use. */
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  /** Aborts when the source must end without waiting any longer. */
  readonly signal: AbortSignal;
  /**
   * Reports a proof. Returns `over` if that term has already ended here; such a proof does not
   * revive it (T3, H4).
   */
  granted(grant: Grant | MemberGrant): 'prolonged' | 'began' | 'over';
  /**
   * Reports a proof of the lease of this member, which was requested after `sentAt` and expires at
   * `until`: all terms that began by a {@link MemberGrant} are prolonged. An earlier deadline changes
   * nothing. `began`: the lease before was over, and with it all its terms. `over`: the proof is void,
   * because it has expired, the machine has slept since `sentAt` (H6), or the source ends. Unless the
   * answer is `prolonged`, terms may have ended here: report each again by `granted`, which says so.
   * `lease`: as in {@link MemberGrant}.
   */
  prolonged(until: Instant, sentAt: Instant, lease?: number): 'prolonged' | 'began' | 'over';
  /**
   * Reports that this member stopped leading at once (H4) or, after a drain, gave up the partition.
   */
  lost(partition: number, reason: LossReason): void;
  /** Reports that the term ended in order, after its drain. */
  released(partition: number): void;
  /**
   * Ends the term in order (H2). This is the only way to run the barrier. On `fenced` the backend
   * must stop sending proofs (H3).
   */
  drain(partition: number): Promise<'drained' | 'fenced'>;
  /**
   * Reports the current leader of the partition, as far as the backend has read. `ended`: how the term
   * of the leader before ended, if the backend has read that; no request is made for it.
   */
  leads(partition: number, leader: KnownLeader | undefined, ended?: TermEnd): void;
  /**
   * Reports all present members, as far as the backend has read: those that others see, so an observer
   * that writes nothing is none of them. Replaces the previous report.
   */
  members(members: readonly KnownMember[]): void;
  /**
   * Sets whether a leader of each partition should be known. While it should not, as at a member that
   * was removed from its group, the host does not report `leaderless`. Default: `true`.
   */
  expectsLeaders(isExpected: boolean): void;
  /**
   * Reports that the present candidates may lead fewer partitions than there are, because each has a
   * limit (M13); `undefined`: that they may lead all, as at the start. That is then the cause by which
   * `leaderless` explains the partitions without a leader.
   */
  capacity(capacity: Capacity | undefined): void;
  /** Reports a failure. Disposing the result reports its end. */
  trouble(code: LeadershipErrorCode, message: string, cause?: unknown): Disposable;
  /**
   * Reports a condition that works but weakens a guarantee or may cause problems later. Disposing
   * the result reports its end.
   */
  warning(code: LeadershipErrorCode, message: string, cause?: unknown): Disposable;
  /** Counts a dropped input under the label `what`. */
  ignored(what: string): void;
  /** Reports a measurement. Replaces the previous value of that name. */
  measured(what: string, value: number): void;
  /** Reports that the backend has just received an answer. */
  confirmed(): void;
  /**
   * Reports that the backend is reachable and agrees with the options. A member that votes may
   * report it later, once it votes: a rolling restart waits for that.
   */
  ready(): void;
  /**
   * Reports that the backend refuses this member for good: `ready()` and `lead` reject, and streams
   * end in `refused`. The backend must stop afterwards.
   */
  refused(code: LeadershipErrorCode, message: string, cause?: unknown): void;
}
