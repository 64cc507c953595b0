// The knowledge of a member. It is plain data, which a step changes in place: a copy of ten thousand
// partitions for each step would cost more than the store.
import type { KnownLeader } from '../contract/backend.ts';
import type { Balance } from '../engine/balance.ts';
import type { Presence } from '../engine/presence.ts';
import type { RowChange } from '../rows/rows.ts';
import { type Instant, longAgo, never } from '../time/instant.ts';
import type { Due } from './due.ts';
import type { Floor } from './floor-state.ts';
import { type Basis, incarnationOf, type OwnershipRecord } from './records.ts';
import type { LeaseRules } from './rules.ts';
import type { LeaseConfig, Listing, Output, Topic } from './types.ts';

/** A session as this member has read it; or one that a partition names, and that was never opened. */
export interface Session {
  readonly kind: 'session';
  readonly id: string;
  readonly incarnation: string;
  /** Which session of its process it is. */
  readonly number: number;
  presence: Presence;
  /** `null`: there is no such row. */
  text: string | null;
  version: number;
  state: 'absent' | 'live' | 'dead';
  /** Whether another member has ended it, and whether because its process was proved dead (M10). */
  isDeposed: boolean;
  isProved: boolean;
  thresholdMs: number;
  isStanding: boolean;
  wants: ReadonlySet<number>;
  /** The greatest number of partitions that it leads at once (M13). */
  partitionsMax: number;
  /** When this text was received; or when it was first known that there is none. */
  arrivedAt: Instant;
  /** When this text was written, by the wall clock of its member. Milliseconds since 1970. */
  writtenAt: number | undefined;
  /** When this text was read: its arrival may be an earlier notification. */
  readAt: Instant;
  /** The text that a notification showed last, and when: it may be read later. */
  shown: { readonly text: string; readonly at: Instant } | undefined;
  /** Whether it has not changed for its T, so that it may be deposed. */
  isLapsed: boolean;
  /** Whether the first reading has shown its text, as one that was written long ago. */
  isUnheard: boolean;
  /** The partitions whose record in effect names it. */
  readonly owns: Set<number>;
  /** No deposition of it is written before. */
  retryAt: Instant;
  dueAt: Instant;
}

/** A release to no session that a notification showed, and that is not read yet. */
export interface Shown {
  readonly text: string;
  readonly life: string;
  readonly version: number;
  readonly token: bigint;
  /** Whether the term was lost before. */
  readonly isLost?: boolean;
}

/** The leader by a record that a notification showed, and that is not read yet (M3). */
interface Announced extends Basis {
  readonly kind: 'hold' | 'release';
  readonly isLost: boolean;
  readonly leader: KnownLeader;
  readonly at: Instant;
}

/** A partition as this member has read it, and this member's part in it. */
export interface Partition {
  readonly kind: 'partition';
  readonly index: number;
  text: string | null;
  record: OwnershipRecord | undefined;
  owner: Session | undefined;
  /** The incarnation that owned it last, if the record in effect names none. */
  lastOwner: string | undefined;
  /** The members that have released it, until when each may abstain from it. */
  releasers?: ReadonlyMap<string, Instant>;
  /**
   * Whether an exchange has shown this text whose own renewal took effect: whoever loses the text has then
   * lost the renewal too (M3).
   */
  isSure: boolean;
  /** When this text was received. */
  arrivedAt: Instant;
  /** A later release, which this member may claim over without a reading. */
  shown: Shown | undefined;
  /** A later leader, which is only reported. */
  announced: Announced | undefined;
  /** When it last passed to another process. */
  movedAt: Instant;
  /** When it last got another preferred member, in a group with limits: stand-ins wait from then (M13). */
  placedAt: Instant;
  /** Until when it is doubted alone, because its row went back (M6). */
  doubtUntil: Instant;
  /** The greatest token that this member knows of. */
  seenToken: bigint;
  /** The token of the last term that this member led. */
  ledToken: bigint;
  /** The token of the next term, while a claim or a release waits for the second place to have it (T1). */
  plannedToken: bigint;
  stage: 'idle' | 'leading' | 'draining' | 'releasing';
  /** While the stage is not idle: the token of the term. */
  token: bigint;
  /** When this member has first sent a release of it. The wait for room in a batch does not count. */
  releasingSince: Instant;
  /** Nothing is written of it before: after a refusal, and in the silence after work was given up. */
  retryAt: Instant;
  silentUntil: Instant;
  /** It is not claimed before. */
  abstainUntil: Instant;
  /** Whether the term was lost before its release: its work was given up, or the host had ended it. */
  isLost: boolean;
  /** Whether the drain follows a resignation, so that the abstention begins when it has ended. */
  isResigned: boolean;
  isCandidate: boolean;
  who: 'placement' | 'self' | 'nobody';
  leader: KnownLeader | undefined;
  /** The record by which the last leader was reported. */
  basis: Basis | undefined;
  dueAt: Instant;
}

/** A renewal, or the opening, of the own session that may take effect. */
interface Attempt {
  readonly text: string;
  readonly version: number;
  readonly sentAt: Instant;
}

/** The session of this member. There is at most one. */
export interface OwnSession {
  readonly row: Session;
  /** Whether it was seen in effect. */
  isValid: boolean;
  until: Instant;
  /** When the renewal was sent that `until` rests on. */
  provedAt: Instant;
  readonly openedAt: Instant;
  attempts: readonly Attempt[];
  /** Whether others should be notified of the next renewal. */
  isAwaited: boolean;
  /** Since when it owns and wants nothing. */
  idleSince: Instant;
  /** The first version of its row that was written after the last loss (M6). */
  sureFrom: number;
  /** Whether everything is drained, and it ends: a release did not take effect (M9). */
  isEnding: boolean;
}

/** The exchange without an answer. If `renews`, its first change is that of the own session. */
export interface Flight {
  readonly id: number;
  readonly sentAt: Instant;
  readonly changes: readonly RowChange[];
  /** The partition that each change is about, if it is one. */
  readonly about: readonly (Partition | undefined)[];
  readonly renews: boolean;
  /** The rows in the answer so far. */
  readonly shown: Map<string, string | null>;
}

/** A candidate without a session. */
export interface Note {
  readonly text: string;
  readonly presence: Presence;
  /** The greatest number of partitions that it leads at once (M13). */
  readonly partitionsMax: number;
  /** T of its member. Milliseconds. */
  readonly thresholdMs: number;
  readonly arrivedAt: Instant;
  /** Its row is not removed before. */
  sweptAt: Instant;
  /** Whether its process has opened a session since: then it leaves no notes. */
  isOutdated: boolean;
  /** Whether the first reading has shown it, as one that was written long ago. */
  readonly isUnheard: boolean;
}

export interface MemberState {
  readonly config: LeaseConfig;
  readonly rules: LeaseRules;
  phase: 'reading' | 'running' | 'closing' | 'closed' | 'refused';
  now: Instant;
  wallMicros: number;
  /** The outputs of the present step. */
  outputs: Output[];
  /** When the next wake is due. */
  wakeAt: Instant;
  /** Whether it takes its share of the partitions. */
  isCampaigning: boolean;
  /** The number of partitions for which it is a candidate. */
  candidacies: number;
  pin: 'unknown' | 'absent' | 'agrees' | 'differs';
  /** No pin is written before. */
  pinRetryAt: Instant;
  // The store.
  position: unknown;
  hasRead: boolean;
  /** Whether the next exchange asks for all rows. */
  readsWhole: boolean;
  /** Whether the next exchange changes nothing, in a store that reads first: one has failed. */
  readsOnly: boolean;
  flight: Flight | undefined;
  exchanges: number;
  sentAt: Instant;
  /** The instant from which the pause to the next poll counts: those that follow a renewal are shifted. */
  pollFrom: Instant;
  /** Whether the next exchange is due at once. */
  isSoon: boolean;
  retryAt: Instant;
  /**
   * The number of exchanges that have failed since the last answer, and until when the answer to a reading
   * does not mend the trouble: the last one that failed had changes. `unmade`: the number of exchanges whose
   * changes were all refused, or have no answer, since one was made, or since this member began to close.
   */
  readonly failed: { count: number; changesUntil: Instant; unmade: number };
  readonly floor: Floor;
  /** Until when this member doubts all rows (M6). */
  doubtUntil: Instant;
  /** Whether the end of a doubt is still to be noticed. */
  isDoubted: boolean;
  /** Changes that no partition asks for: rows to remove, and the end of a session. */
  chores: RowChange[];
  // The group.
  readonly partitions: readonly Partition[];
  /** The partitions whose leader a notification may have shown. */
  readonly announced: Set<Partition>;
  readonly sessions: Map<string, Session>;
  readonly notes: Map<string, Note>;
  /** Sessions that have lapsed and are not deposed yet. */
  readonly lapsed: Set<Session>;
  /** The processes that are proved dead, and not buried yet. */
  readonly dead: Set<string>;
  // This member.
  own: OwnSession | undefined;
  /** The number of sessions so far; and of the openings without an answer since a change was answered. */
  readonly openings: { count: number; unanswered: number };
  /** The number of ids of attempts so far. */
  attempts: number;
  /** The partitions that this member asks their owners for, and those that it will ask for. */
  readonly wants: Set<number>;
  readonly wantsNext: Set<number>;
  /** The partitions that this member leads or drains. */
  readonly led: Set<number>;
  // A limit, of this member or of others (M13). Without one, these are empty.
  /** The partitions whose claims may still take effect. */
  readonly claims: Set<number>;
  /** The partitions that this member would take if it had room for them. */
  readonly overLimit: Set<number>;
  /** The partitions that this member has released to a session, as long as no reading shows it. */
  readonly handed: Map<number, Session>;
  /** The last deadline that the host has received. */
  reportedUntil: Instant;
  /** The own note. `removeAt`: no attempt to remove it is made before, since one was refused. */
  note: { text: string | null; dueAt: Instant; removeAt: Instant };
  /** The publication of this member, and its last report of the members. */
  readonly listing: Listing;
  // Evaluation.
  /** The number of terms that this wake has begun. */
  begun: number;
  /** The partitions to look at in the next wake. */
  readonly todo: Set<number>;
  /** The partitions to look at once an exchange has room for another change. */
  readonly waiting: Set<number>;
  readonly due: Due<Partition | Session>;
  readonly balance: Balance;
  /** The members of the placement, and the sessions of those that have one. */
  members: readonly string[];
  /** The limits of the members that have one, and the last report of what all may lead (M13). */
  limits: ReadonlyMap<string, number>;
  capacity: string;
  readonly sessionOf: Map<string, Session>;
  areMembersStale: boolean;
  /** The partitions that wait for the claim of a better-ranked member, and the rank of this one. */
  readonly standIns: Map<number, number>;
  /** When the next note is too old. */
  noteExpiresAt: Instant;
  readonly troubles: Map<Topic, string>;
}

/** Returns a session by its id. One that is not known yet is absent from now on. */
export function sessionNamed(state: MemberState, id: string): Session {
  const known = state.sessions.get(id);
  if (known !== undefined) return known;
  const incarnation = incarnationOf(id);
  const session: Session = {
    kind: 'session',
    id,
    incarnation,
    number: Number(id.slice(incarnation.length + 1)) || 0,
    presence: { member: '?', metadata: {} },
    text: null,
    version: -1,
    state: 'absent',
    isDeposed: false,
    isProved: false,
    thresholdMs: state.config.thresholdMsMax,
    isStanding: false,
    wants: new Set(),
    partitionsMax: Number.POSITIVE_INFINITY,
    arrivedAt: state.now,
    writtenAt: undefined,
    readAt: state.now,
    shown: undefined,
    isLapsed: false,
    isUnheard: false,
    owns: new Set(),
    retryAt: longAgo,
    dueAt: never,
  };
  state.sessions.set(id, session);
  return session;
}

/** Returns an id that was never used. */
export function nextId(state: MemberState): string {
  state.attempts += 1;
  return `${state.config.incarnation}.${state.attempts}`;
}

/** Returns whether the session is one of this process. */
export function isOfThisProcess({ config }: MemberState, { incarnation }: Session): boolean {
  return incarnation === config.incarnation;
}
