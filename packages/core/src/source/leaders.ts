import type { Observable } from 'rxjs';
import type { KnownLeader } from '../contract/backend.ts';
import type { Leader, Metadata, Roster } from '../contract/leader.ts';
import type { ResolvedOptions } from '../contract/resolved-options.ts';
import { PartitionMap } from './partition-map.ts';
import { type Stream, stream } from './stream.ts';

/** Who leads what, as far as this member has read; of itself only what is true now. */
export interface Leaders {
  leader(partition: number): Leader | undefined;
  leader$(partition: number): Observable<Leader | undefined>;
  roster(): Roster;
  readonly roster$: Observable<Roster>;
  /** This member began to lead: put into words when somebody looks. */
  began(partition: number): void;
  /** It leads no more: nobody is known to, where nobody else was told meanwhile. */
  ended(partition: number): void;
  /** Takes in news; says whether it was of another reign than before. */
  set(partition: number, known: KnownLeader | undefined): boolean;
  complete(): void;
}

/** Whose view it is, and what it asks. */
export interface LeadersParts {
  readonly incarnation: string;
  readonly options: Pick<ResolvedOptions, 'member' | 'metadata' | 'partitions'>;
  /** The token of the term that has begun here and was not ended. */
  readonly tokenOf: (partition: number) => bigint | undefined;
  /** Whether this member leads the partition now. */
  readonly leadsHere: (partition: number) => boolean;
  /** Lets pass what has passed. */
  readonly refresh: () => void;
}

/** Nobody is known to lead anything yet. */
export function leaders(parts: LeadersParts): Leaders {
  return new KnownLeaders(parts);
}

class KnownLeaders implements Leaders {
  readonly #parts: LeadersParts;
  readonly #streams: readonly Stream<Leader | undefined>[];
  readonly #rosters: Stream<Roster>;
  /** Where this member has begun to lead and nobody has asked who leads since: a grant pays for no more than its own news. */
  readonly #unsaid: boolean[];
  /** Whether anybody has ever followed who leads: until then a grant need not look whom to tell. */
  #isFollowed = false;

  constructor(parts: LeadersParts) {
    this.#parts = parts;
    const { options, refresh } = parts;
    const truly = (partition: number) => (): void => {
      this.#isFollowed = true;
      refresh();
      this.#say(partition);
    };
    this.#streams = Array.from({ length: options.partitions }, (_, partition) => stream<Leader | undefined>(undefined, truly(partition)));
    this.#unsaid = this.#streams.map(() => false);
    this.#rosters = stream<Roster>(new PartitionMap(), () => {
      this.#isFollowed = true;
      refresh();
      this.#update();
    });
  }

  get roster$(): Observable<Roster> {
    return this.#rosters.value$;
  }

  leader(partition: number): Leader | undefined {
    return trueNow(partition, this.#say(partition)?.value, this.#parts.leadsHere);
  }

  leader$(partition: number): Observable<Leader | undefined> {
    return this.#streams[partition]?.value$ ?? rosterless(partition);
  }

  roster(): Roster {
    for (const partition of this.#unsaid.keys()) this.#say(partition);
    return rosterOf(this.#streams, this.#parts.leadsHere);
  }

  began(partition: number): void {
    this.#unsaid[partition] = true;
    if (this.#isFollowed && (this.#streams[partition]?.observed || this.#rosters.observed)) this.#say(partition);
  }

  ended(partition: number): void {
    const of = this.#streams[partition];
    const wasSelf = this.#unsaid[partition] === true || of?.value?.self === true;
    this.#unsaid[partition] = false;
    if (of !== undefined && wasSelf) this.#tell(of, undefined);
  }

  set(partition: number, known: KnownLeader | undefined): boolean {
    const of = this.#say(partition);
    const leader = known && trueNow(partition, this.#leaderOf(known), this.#parts.leadsHere);
    if (of === undefined || isSame(of.value, leader)) return false;
    const isAnother = !isSameReign(of.value, leader);
    this.#tell(of, leader);
    return isAnother;
  }

  complete(): void {
    for (const one of this.#streams) one.complete();
    this.#rosters.complete();
  }

  /** Its own words a member knows better than any record: one that delegates to it has none. */
  #leaderOf({ member, token, metadata, incarnation }: KnownLeader): Leader {
    const self = incarnation === this.#parts.incarnation;
    return new LeaderRecord(member, self, token, self ? this.#parts.options.metadata : metadata);
  }

  /** Puts into words what was left unsaid. */
  #say(partition: number): Stream<Leader | undefined> | undefined {
    const of = this.#streams[partition];
    if (of === undefined || !this.#unsaid[partition]) return of;
    this.#unsaid[partition] = false;
    const { options, tokenOf } = this.#parts;
    const { member, metadata } = options;
    const token = tokenOf(partition);
    this.#tell(of, token === undefined ? undefined : new LeaderRecord(member, true, token, metadata));
    return of;
  }

  #tell(of: Stream<Leader | undefined>, leader: Leader | undefined): void {
    of.set(leader);
    if (this.#rosters.observed) this.#update();
  }

  #update(): void {
    const now = this.roster();
    if (!isSameRoster(this.#rosters.value, now)) this.#rosters.set(now);
  }
}

/** A leader that `JSON.stringify` takes: its token is a `bigint`. */
class LeaderRecord implements Leader {
  readonly member: string;
  readonly self: boolean;
  readonly token: bigint;
  readonly metadata: Metadata;

  constructor(member: string, self: boolean, token: bigint, metadata: Metadata) {
    this.member = member;
    this.self = self;
    this.token = token;
    this.metadata = metadata;
  }

  toJSON(): object {
    return { ...this, token: `${this.token}` };
  }
}

function rosterOf(streams: readonly Stream<Leader | undefined>[], leadsHere: (partition: number) => boolean): Roster {
  const roster = new PartitionMap<Leader>();
  streams.forEach(({ value }, partition) => {
    const leader = trueNow(partition, value, leadsHere);
    if (leader) roster.set(partition, leader);
  });
  return roster;
}

function trueNow(partition: number, leader: Leader | undefined, leadsHere: (partition: number) => boolean): Leader | undefined {
  return leader?.self === true && !leadsHere(partition) ? undefined : leader;
}

function isSame(a: Leader | undefined, b: Leader | undefined): boolean {
  return isSameReign(a, b) && isSameMetadata(a?.metadata ?? {}, b?.metadata ?? {});
}

function isSameReign(a: Leader | undefined, b: Leader | undefined): boolean {
  return a?.token === b?.token && a?.member === b?.member && a?.self === b?.self;
}

function isSameMetadata(a: Metadata, b: Metadata): boolean {
  const words = Object.entries(a);
  return words.length === Object.keys(b).length && words.every(([name, word]) => b[name] === word);
}

/** A roster is made anew each time: it is news only if a leader in it is. */
function isSameRoster(a: Roster, b: Roster): boolean {
  return a.size === b.size && [...a].every(([partition, leader]) => isSame(leader, b.get(partition)));
}

function rosterless(partition: number): never {
  throw new RangeError(`partition ${partition} does not exist`);
}
