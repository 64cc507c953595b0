import { type Clock, type Host, type Instant, type Latest, latest } from '@leadership/core/backend';
import { type Busy, busy } from '@leadership/core/ledger';
import { readersIn } from './census.ts';
import type { Guarantee } from './election.ts';
import type { Note } from './notes.ts';
import type { Table } from './table.ts';

/** What ledger, wants and presence of one member share. */
export interface Store {
  readonly table: Table;
  readonly group: string;
  /** What the group is promised: members that are promised different things are no group. */
  readonly guarantee: Guarantee;
  readonly host: Pick<Host, 'member' | 'incarnation' | 'confirmed' | 'trouble' | 'warning' | 'random'>;
  readonly clock: Clock;
  readonly busy: Busy;
  readonly thresholdMs: number;
  /** How often the group's items are read. Milliseconds. */
  readonly pollMs: number;
  /** How long an answer is waited for. Milliseconds. */
  readonly limitMs: number;
  /** The same while the group is opened: names are looked up, credentials fetched, registers begun, and no lease depends on it yet. Milliseconds. */
  readonly openingMs: number;
  /** How many read along, as far as is known: those who stand for election, and this one. */
  readonly readers: () => number;
  /** Notes as they were last read: one query brings them together with the registers. */
  readonly notes: Latest<readonly Note[]>;
  /** Whether the group is read, and nothing in its pin refuses this member: before that it leaves nothing in the table. */
  readonly admission: Latest<true>;
  /** Lease requests of this member that are outstanding, by the name of their item. */
  readonly requests: Map<string, LeaseRequest>;
}

/** A lease request of this member, as it was left last. */
interface LeaseRequest {
  readonly text: string;
  readonly askedAt: Instant;
}

/** Where the group is kept, and its T. */
export interface StoreOptions {
  readonly table: Table;
  readonly group: string;
  readonly thresholdMs: number;
  readonly guarantee: Guarantee;
}

/** A share of T: candidates learn of a renewal so much later, which is part of every fail-over. */
const pollShare = 1 / 4;
/** A share of T, as long as the engine waits for a write: what takes longer does not keep a lease. */
const limitShare = 1 / 3;

/** A first request takes its time, however short T is. Milliseconds. */
const openingMsMin = 5000;

/** A stream takes its time, and no lease depends on it. Milliseconds. */
const answerMsMin = 1000;

/** How long a member with this T waits for an answer of a stream. Milliseconds. */
export function answerMsOf(thresholdMs: number): number {
  return Math.max(answerMsMin, limitShare * thresholdMs);
}

/** How much more often a member reads that waits for a lease it asked for: the hand-over ends with its reading. */
const requestingFactor = 1 / 4;
/** How much less often a member reads that only observes: no lease waits for it. */
const observingFactor = 2;

/** How long a member waits between two readings of the group, by what it is there for. Milliseconds. */
export function periodMsOf({ pollMs, requests }: Pick<Store, 'pollMs' | 'requests'>, observes: boolean): number {
  if (observes) return observingFactor * pollMs;
  return requests.size > 0 ? requestingFactor * pollMs : pollMs;
}

/** How often a member with this T reads the group's items. Milliseconds. */
export function pollMsOf(thresholdMs: number): number {
  return pollShare * thresholdMs;
}

/** The store of one member. Touches nothing yet. */
export function storeOf({ table, group, thresholdMs, guarantee }: StoreOptions, host: Host): Store {
  const times = {
    thresholdMs,
    pollMs: pollMsOf(thresholdMs),
    limitMs: limitShare * thresholdMs,
    openingMs: Math.max(openingMsMin, limitShare * thresholdMs),
  };
  const notes = latest<readonly Note[]>();
  const shared = { admission: latest<true>(), requests: new Map<string, LeaseRequest>() };
  let readers = 1;
  const counted: Latest<readonly Note[]> = {
    ...notes,
    set(now) {
      readers = readersIn(now, host.incarnation, thresholdMs);
      notes.set(now);
    },
  };
  return { table, group, guarantee, host, clock: host.clock, busy: busy(), ...times, readers: () => readers, notes: counted, ...shared };
}
