// The knowledge of one member, by the text of the rules (docs/reference/session-lease.md): a fold of
// the inputs and outputs of its machine. It never reads the state of the machine.
import type { Instant } from '@leadership/core/adapter';
import type { LeaseConfig, Output } from '@leadership/core/internal/sessions';
import {
  incarnationOf,
  type PartitionText,
  partitionText,
  type SessionText,
  subjectOf,
} from './texts.ts';

/** A row of a session as the member has read it; or one that an ownership row names. */
export interface KnownSession extends SessionText {
  readonly text: string | null;
  /** When the text was received: read, or shown by a notification before (M4). */
  readonly at: Instant;
  /** When the text was read. */
  readonly readAt: Instant;
  /** T in its last living record, the longest counts; 0 if none was read. */
  readonly lastThresholdMs: number;
}

/** A row of a partition as the member has read it. */
export interface KnownPartition extends PartitionText {
  readonly text: string | null;
  readonly at: Instant;
  /** Whether an exchange has shown this text whose own renewal took effect (M3). */
  readonly isSure: boolean;
  /** Since when the row names this owner. */
  readonly ownedSince: Instant;
}

export type Leader = (Output & { readonly kind: 'leader' })['leader'];

interface Attempt {
  readonly text: string;
  readonly sentAt: Instant;
}

/** The session of this member. */
interface Own {
  readonly id: string;
  readonly attempts: readonly Attempt[];
  /** Whether it was seen in effect. */
  readonly isValid: boolean;
  readonly until: Instant;
  readonly provedAt: Instant;
  /** The first version that was sent after the last loss (M6). */
  readonly sureFrom: number;
}

/** An owner that a notification has shown, in a record that is not read yet (M3). */
export interface Announcement {
  readonly record: PartitionText;
  /** Whether the notification has shown its session alive too. */
  readonly isShownAlive: boolean;
  readonly at: Instant;
}

/** A term that has not ended. */
interface KnownTerm {
  readonly token: bigint;
  readonly isDraining: boolean;
  readonly isDrained: boolean;
}

export interface Flight {
  readonly id: number;
  readonly sentAt: Instant;
  readonly changes: (Output & { readonly kind: 'exchange' })['changes'];
  readonly shown: ReadonlySet<string>;
}

/** The second place of the greatest token (T1). */
interface Floor {
  readonly token: bigint;
  readonly readAt: Instant;
  readonly call:
    | { readonly id: number; readonly isRead: boolean; readonly at: Instant }
    | undefined;
}

/** The moment of a step. */
export interface Moment {
  readonly now: Instant;
  readonly wallMicros: number;
}

/** The fold. `copy` it before a step to keep the version before. */
export class Knowledge {
  readonly self: LeaseConfig;
  sessions: Map<string, KnownSession> = new Map();
  partitions: Map<number, KnownPartition> = new Map();
  notes: Map<string, { readonly text: string | null; readonly at: Instant }> = new Map();
  pin: string | null = null;
  /** Texts that notifications have shown, and when. */
  shown: Map<string, Instant> = new Map();
  /** The owners that notifications have shown since the last exchange that has ended was sent. */
  announced: Map<number, readonly Announcement[]> = new Map();
  /** The leaders that this member has reported. */
  reported: Map<number, Leader> = new Map();
  /** The texts that this member has written. */
  written: Set<string> = new Set();
  position: unknown = undefined;
  flight: Flight | undefined = undefined;
  lastSentAt: Instant = longAgo;
  /** The last exchange that had no answer. */
  failedAt: Instant = longAgo;
  /** Whether the outcome of changes is unknown which only another reading shows. */
  isUnsure = false;
  own: Own | undefined = undefined;
  /** The greatest version of it that was sent. */
  sentVersion = 0;
  /** The openings without an answer since a change was answered. */
  unopened = 0;
  /** The number of the last session of this process. */
  opened = 0;
  /** Until when all rows are doubted, and single ones (M6). */
  doubtUntil: Instant = longAgo;
  doubts: Map<number, Instant> = new Map();
  hasRead = false;
  terms: Map<number, KnownTerm> = new Map();
  /** The partitions whose claims were sent, and that no answer has settled (M13). */
  claimed: Set<number> = new Set();
  /** The terms that ended while their work might still run, and the deadline of their leases (H3). */
  ended: Map<number, { readonly token: bigint; readonly until: Instant }> = new Map();
  silentUntil: Map<number, Instant> = new Map();
  /** The last deadline that the host has received. */
  reportedUntil: Instant = longAgo;
  ledTokens: Map<number, bigint> = new Map();
  seenTokens: Map<number, bigint> = new Map();
  /** Since when it has tried to release a partition. */
  releasing: Map<number, Instant> = new Map();
  /** Whether its session may be ending because a release was not replaced in time (M9). */
  mayGiveUp = false;
  /** The partitions that were resigned: until when it does not claim them, and whether a term ends for it. */
  resigned: Map<number, Instant> = new Map();
  leaving: Set<number> = new Set();
  candidacy: Map<number, boolean> = new Map();
  isCampaigning: boolean;
  unwanted: Set<number> = new Set();
  dead: Set<string> = new Set();
  isClosing = false;
  isClosed = false;
  floor: Floor = { token: 0n, readAt: longAgo, call: undefined };
  // What the present step must show.
  /** Why every term must have ended by the end of this step. */
  ends: 'expired' | 'superseded' | undefined = undefined;
  /** The partitions whose rows changed in this step; those that went back, and those written by hand. */
  changed: Set<number> = new Set();
  wentBack: Set<number> = new Set();
  writtenByHand: Set<number> = new Set();
  /** The partitions of which an exchange has ended what notifications had shown. */
  outdated: Set<number> = new Set();

  /** How long others may lead by records of a row that is new to this member (M5). */
  readonly emptyMs: number;

  constructor(self: LeaseConfig, emptyMs: number = self.thresholdMsMax) {
    this.self = self;
    this.emptyMs = emptyMs;
    this.isCampaigning = self.campaign;
  }

  copy(): Knowledge {
    const copy = new Knowledge(this.self, this.emptyMs);
    for (const [name, value] of Object.entries(this) as [string, unknown][])
      Reflect.set(
        copy,
        name,
        value instanceof Map ? new Map(value) : value instanceof Set ? new Set(value) : value,
      );
    return copy;
  }

  /** Whether a session is one of this process. */
  isOfThisProcess(session: string): boolean {
    return incarnationOf(session) === this.self.incarnation;
  }

  isDoubted(now: Instant, partition?: number): boolean {
    const alone = partition === undefined ? undefined : this.doubts.get(partition);
    return now < this.doubtUntil || (alone !== undefined && now < alone);
  }

  /** How long others wait for a lease. */
  waitMs(thresholdMs: number): number {
    return thresholdMs * (1 + this.self.driftRate);
  }

  /** How many partitions this member leads at most (M13). */
  get limit(): number {
    return this.self.partitionsMax ?? Number.POSITIVE_INFINITY;
  }

  /** The partitions that this member leads, or whose records name its session. */
  taken(): Set<number> {
    const owned = [...this.partitions].filter(([, { session }]) => session === this.own?.id);
    return new Set([...(this.own ? owned.map(([index]) => index) : []), ...this.terms.keys()]);
  }

  isCandidateFor(partition: number): boolean {
    return this.candidacy.get(partition) ?? this.isCampaigning;
  }

  /** Whether it is a candidate for no partition, also one that still campaigns for further ones. */
  get isObserver(): boolean {
    for (let partition = 0; partition < this.self.partitions; partition += 1)
      if (this.isCandidateFor(partition)) return false;
    return true;
  }

  /** Whether a row is that of a session of this process. */
  isOwnSession(name: string): boolean {
    const { kind, id } = subjectOf(name);
    return kind === 'session' && this.isOfThisProcess(id);
  }

  partition(index: number): KnownPartition {
    return this.partitions.get(index) ?? missing;
  }

  /** Returns the text that a row has, as the member has read it. */
  textOf(name: string): string | null {
    const { kind, id } = subjectOf(name);
    if (kind === 'partition') return this.partition(Number(id)).text;
    if (kind === 'session') return this.sessions.get(id)?.text ?? null;
    if (kind === 'member') return this.notes.get(id)?.text ?? null;
    return this.pin;
  }
}

const longAgo: Instant = Number.NEGATIVE_INFINITY as Instant;

const missing: KnownPartition = {
  ...partitionText(null),
  text: null,
  at: longAgo,
  isSure: false,
  ownedSince: longAgo,
};

export function after(at: Instant, ms: number): Instant {
  return (at + ms) as Instant;
}
