import type { Observable } from 'rxjs';
import type { KnownLeader } from '../contract/backend.ts';
import type { Leader, Roster } from '../contract/leader.ts';
import { type Stream, stream } from './stream.ts';

/** Who leads what, as far as this member has read; of itself only what is true now. */
export interface Leaders {
  leader(partition: number): Leader | undefined;
  leader$(partition: number): Observable<Leader | undefined>;
  roster(): Roster;
  readonly roster$: Observable<Roster>;
  /** Whether this member is the one told as the leader. */
  isSelf(partition: number): boolean;
  /** Takes in news; says whether it was any. */
  set(partition: number, known: KnownLeader | undefined): boolean;
  complete(): void;
}

/** `leadsHere` tells whether this member leads the partition now; `refresh` lets pass what has passed. */
export function leaders(incarnation: string, partitions: number, leadsHere: (partition: number) => boolean, refresh: () => void): Leaders {
  const streams = Array.from({ length: partitions }, () => stream<Leader | undefined>(undefined, refresh));
  const roster = (): Roster => rosterOf(streams, leadsHere);
  const rosters = stream<Roster>(new Map(), () => {
    refresh();
    rosters.set(roster());
  });
  return {
    leader: (partition) => trueNow(partition, streams[partition]?.value, leadsHere),
    leader$: (partition) => streams[partition]?.value$ ?? rosterless(partition),
    roster,
    roster$: rosters.value$,
    isSelf: (partition) => streams[partition]?.value?.self === true,
    set(partition, known) {
      const of = streams[partition];
      const leader = known && {
        member: known.member,
        self: known.incarnation === incarnation,
        token: known.token,
        metadata: known.metadata,
      };
      if (of === undefined || isSame(of.value, leader)) return false;
      of.set(leader);
      if (rosters.observed) rosters.set(roster());
      return true;
    },
    complete() {
      for (const one of streams) one.complete();
      rosters.complete();
    },
  };
}

function rosterOf(streams: readonly Stream<Leader | undefined>[], leadsHere: (partition: number) => boolean): Roster {
  const roster = new Map<number, Leader>();
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
  return a?.token === b?.token && a?.member === b?.member && a?.self === b?.self;
}

function rosterless(partition: number): never {
  throw new RangeError(`partition ${partition} does not exist`);
}
