import type { Observable } from 'rxjs';
import type { KnownLeader } from '../contract/backend.ts';
import type { Leader, Metadata, Roster } from '../contract/leader.ts';
import type { ResolvedOptions } from '../contract/resolved-options.ts';
import { isSameMetadata } from '../engine/presence.ts';
import type { OwnTerms } from './held.ts';
import { PartitionMap } from './partition-map.ts';
import { type Stream, stream } from './stream.ts';
import { Touched } from './touched.ts';

/**
 * The known leaders, as far as this member has read. This member itself is listed only while it
 * leads.
 */
export interface Leaders {
  leader(partition: number): Leader | undefined;
  leader$(partition: number): Observable<Leader | undefined>;
  roster(): Roster;
  readonly roster$: Observable<Roster>;
  /** Returns the partitions that each known incarnation leads, in ascending order. */
  led(): ReadonlyMap<string, readonly number[]>;
  /** Notes that the answer for this partition may have changed. Call it before anything is notified. */
  touch(partition: number): void;
  /** Notes that this member began to lead. The entry is created when it is first read. */
  began(partition: number): void;
  /**
   * Notes that this member no longer leads. The partition then has no known leader, unless another
   * one was reported meanwhile.
   */
  ended(partition: number): void;
  /** Sets the leader. Returns whether it belongs to another term than before. */
  set(partition: number, known: KnownLeader | undefined): boolean;
  complete(): void;
}

/** The member that owns the view, and the state that it reads. */
export interface LeadersParts extends OwnTerms {
  readonly incarnation: string;
  readonly options: Pick<ResolvedOptions, 'member' | 'metadata' | 'partitions'>;
}

/** Creates a view without known leaders. */
export function leaders(parts: LeadersParts): Leaders {
  return new KnownLeaders(parts);
}

class KnownLeaders implements Leaders {
  readonly #parts: LeadersParts;
  readonly #streams: readonly Stream<Leader | undefined>[];
  readonly #rosters: Stream<PartitionMap<Leader>>;
  readonly #touched: Touched;
  /** The roster before the partitions that were touched since. */
  #roster: PartitionMap<Leader> = new PartitionMap();
  /**
   * The partitions in which this member has begun to lead without an entry yet. Creating it later
   * keeps grants cheap.
   */
  readonly #pending: boolean[];
  /** Whether anything has ever asked for leaders. Until then a grant need not note more. */
  #isObserved = false;

  constructor(parts: LeadersParts) {
    this.#parts = parts;
    const { options, refresh } = parts;
    this.#touched = new Touched(options.partitions);
    const upToDate = (partition: number) => (): void => {
      this.#isObserved = true;
      refresh();
      this.#entryOf(partition);
    };
    this.#streams = Array.from({ length: options.partitions }, (_, partition) =>
      stream<Leader | undefined>(undefined, upToDate(partition)),
    );
    this.#pending = this.#streams.map(() => false);
    this.#rosters = stream(this.#roster, () => {
      this.#isObserved = true;
      refresh();
      this.#update();
    });
  }

  get roster$(): Observable<Roster> {
    return this.#rosters.value$;
  }

  leader(partition: number): Leader | undefined {
    return current(partition, this.#entryOf(partition)?.value, this.#parts);
  }

  leader$(partition: number): Observable<Leader | undefined> {
    return this.#streams[partition]?.value$ ?? rosterless(partition);
  }

  roster(): PartitionMap<Leader> {
    this.#isObserved = true;
    this.#parts.touchExpired();
    const touched = this.#touched.take();
    // An entry may notify a subscriber who calls this method, so all are created first.
    for (const partition of touched) this.#entryOf(partition);
    const leaderOf = (partition: number): Leader | undefined =>
      current(partition, this.#streams[partition]?.value, this.#parts);
    this.#roster = this.#roster.updated(touched, leaderOf, isSame);
    return this.#roster;
  }

  led(): ReadonlyMap<string, readonly number[]> {
    const led = new Map<string, number[]>();
    for (const [partition, leader] of this.roster()) {
      const incarnation = LeaderRecord.incarnationOf(leader);
      const known = led.get(incarnation);
      if (known) known.push(partition);
      else led.set(incarnation, [partition]);
    }
    return led;
  }

  touch(partition: number): void {
    this.#touched.add(partition);
  }

  began(partition: number): void {
    this.#pending[partition] = true;
    if (this.#isObserved) this.#show(partition);
  }

  ended(partition: number): void {
    const of = this.#streams[partition];
    const wasSelf = this.#pending[partition] === true || of?.value?.self === true;
    this.#pending[partition] = false;
    if (of !== undefined && wasSelf) this.#emit(of, partition, undefined);
  }

  set(partition: number, known: KnownLeader | undefined): boolean {
    const of = this.#entryOf(partition);
    const leader = known && current(partition, this.#leaderOf(known), this.#parts);
    if (of === undefined || isSame(of.value, leader)) return false;
    const isAnother = !isSameTerm(of.value, leader);
    this.#emit(of, partition, leader);
    return isAnother;
  }

  complete(): void {
    for (const one of this.#streams) one.complete();
    this.#rosters.complete();
  }

  /**
   * Converts a reported leader. For this member it uses its own metadata, because a record that
   * delegates to it contains none.
   */
  #leaderOf({ member, token, metadata, incarnation }: KnownLeader): Leader {
    const self = incarnation === this.#parts.incarnation;
    const published = self ? this.#parts.options.metadata : metadata;
    return new LeaderRecord(member, self, token, published, incarnation);
  }

  /** Creates the pending entry for this member. */
  #entryOf(partition: number): Stream<Leader | undefined> | undefined {
    const of = this.#streams[partition];
    if (of === undefined || !this.#pending[partition]) return of;
    this.#pending[partition] = false;
    const { options, leaderships, incarnation } = this.#parts;
    const { member, metadata } = options;
    const token = leaderships[partition]?.token;
    this.#emit(
      of,
      partition,
      token === undefined
        ? undefined
        : new LeaderRecord(member, true, token, metadata, incarnation),
    );
    return of;
  }

  /** Notes a term of this member for those who ask for leaders. */
  #show(partition: number): void {
    this.#touched.add(partition);
    if (this.#streams[partition]?.observed || this.#rosters.observed) this.#entryOf(partition);
  }

  #emit(of: Stream<Leader | undefined>, partition: number, leader: Leader | undefined): void {
    this.#touched.add(partition);
    of.set(leader);
    if (this.#rosters.observed) this.#update();
  }

  #update(): void {
    const now = this.roster();
    if (!now.equals(this.#rosters.value, isSame)) this.#rosters.set(now);
  }
}

/** A leader that `JSON.stringify` accepts although its token is a `bigint`. */
class LeaderRecord implements Leader {
  readonly member: string;
  readonly self: boolean;
  readonly token: bigint;
  readonly metadata: Metadata;
  /** Not public: names identify a member to people. */
  readonly #incarnation: string;

  constructor(
    member: string,
    self: boolean,
    token: bigint,
    metadata: Metadata,
    incarnation: string,
  ) {
    this.#incarnation = incarnation;
    this.member = member;
    this.self = self;
    this.token = token;
    this.metadata = metadata;
  }

  static incarnationOf(leader: Leader): string {
    return #incarnation in leader ? leader.#incarnation : '';
  }

  toJSON(): object {
    return { ...this, token: `${this.token}` };
  }
}

function current(
  partition: number,
  leader: Leader | undefined,
  { leaderships }: OwnTerms,
): Leader | undefined {
  return leader?.self === true && !leaderships[partition]?.isLeading() ? undefined : leader;
}

function isSame(a: Leader | undefined, b: Leader | undefined): boolean {
  return a === b || (isSameTerm(a, b) && isSameMetadata(a?.metadata ?? {}, b?.metadata ?? {}));
}

function isSameTerm(a: Leader | undefined, b: Leader | undefined): boolean {
  return a?.token === b?.token && a?.member === b?.member && a?.self === b?.self;
}

function rosterless(partition: number): never {
  throw new RangeError(`partition ${partition} does not exist`);
}
