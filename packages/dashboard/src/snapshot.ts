// Reads the state of a source for the page.
import type { GroupMember, Guarantees, LeadershipSource, Trouble } from '@leadership/core';
import {
  isUnknownGroup,
  listsMembers,
  observedLeaseMs,
  publishedRoles,
} from '@leadership/core/internal';
import type { ObservedTerm, TermHistory } from './term-history.ts';

/** The state of a group, as the page receives it. */
export interface Snapshot {
  readonly atMs: number;
  readonly group: string;
  /** The name of the member that serves the page. */
  readonly member: string;
  /** The number of partitions; absent if no member has ever opened the group. */
  readonly partitions?: number;
  readonly guarantees: Guarantees;
  readonly ok: boolean;
  readonly confirmedMsAgo: number | undefined;
  readonly troubles: readonly Problem[];
  readonly warnings: readonly Problem[];
  readonly leaders: readonly {
    readonly partition: number;
    readonly member: string;
    readonly token: string;
    readonly self: boolean;
    /**
     * The rest of the lease. If another process leads: the time after which this process regards the
     * lease as lapsed, and absent if the backend does not know.
     */
    readonly remainingMs?: number;
    /** The reason why this leader no longer acts although its lease has not ended, in words. */
    readonly gone?: string;
  }[];
  /** Whether what is left of every lease is exact, also that of other processes. */
  readonly knowsAllLeases?: boolean;
  /** The names of the roles that members have asked for, by partition. */
  readonly roles: readonly { readonly partition: number; readonly names: readonly string[] }[];
  /** The present members and those that have led, in the order of their names. */
  readonly members: readonly ShownMember[];
  /** The latest terms, in the order in which they began. */
  readonly terms: readonly ObservedTerm[];
  /** Since when the terms are known: nothing is known of what happened before. */
  readonly watchedSinceMs: number;
  /** The latest event, in words. */
  readonly news?: string;
}

/** A member, and what the page may do to it. */
export interface ShownMember {
  readonly name: string;
  /** Its activity, in words. */
  readonly state?: string;
  /** The code of the trouble that it reports. */
  readonly trouble?: string;
  /** Since when it takes part. */
  readonly sinceMs?: number;
  readonly controls?: readonly Control[];
}

/** A button of the page. */
export interface Control {
  readonly name: string;
  /** Why it cannot be pressed now. */
  readonly refusal?: string;
}

interface Problem {
  readonly code: string;
  readonly message: string;
  readonly sinceMs: number;
  readonly partition?: number;
}

/** Reads the state of a source. */
export function snapshot(
  source: LeadershipSource,
  { terms, sinceMs }: Pick<TermHistory, 'terms' | 'sinceMs'>,
): Snapshot {
  const { group, member, partitions, guarantees } = source;
  const health = source.health();
  const { ok, confirmedMsAgo, troubles, warnings } = health;
  const held = source.held();
  const leaders = [...source.roster()].map(([partition, leader]) => {
    const remainingMs = held.get(partition)?.remainingMs() ?? observedLeaseMs(source, partition);
    return {
      partition,
      member: leader.member,
      token: String(leader.token),
      self: leader.self,
      ...(remainingMs !== undefined && { remainingMs }),
    };
  });
  const present = source.members();
  return {
    atMs: Date.now(),
    members: shownMembers(source, present, terms),
    roles: [...publishedRoles(present)].map(([partition, names]) => ({ partition, names })),
    ...(!isUnknownGroup(health) && { partitions }),
    group,
    member,
    guarantees,
    ok,
    confirmedMsAgo,
    leaders,
    terms,
    watchedSinceMs: sinceMs,
    troubles: troubles.map(problem),
    warnings: warnings.map(problem),
  };
}

/** A backend may list no members: then those are known that lead or have led, and this one. */
function shownMembers(
  source: LeadershipSource,
  present: readonly GroupMember[],
  terms: readonly ObservedTerm[],
): readonly ShownMember[] {
  const { member } = source;
  const isListed = listsMembers(source);
  const shown = new Map<string, ShownMember>();
  for (const term of terms)
    shown.set(term.member, { name: term.member, ...(isListed && { state: 'gone' }) });
  if (!isListed) shown.set(member, { name: member });
  for (const one of present)
    shown.set(one.member, {
      name: one.member,
      state: wordsOf(one),
      ...(one.trouble !== undefined && { trouble: one.trouble }),
      ...(one.since && { sinceMs: one.since.getTime() }),
    });
  return [...shown.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function wordsOf({ trouble, isCandidate, leads }: GroupMember): string {
  const activity = leads.length > 0 ? 'leads' : isCandidate ? 'stands by' : 'observes';
  return trouble === undefined ? activity : `${activity}, reports ${trouble}`;
}

/** Leaves out the cause: it may contain more than the readers of the page should see. */
function problem({ code, message, since, partition }: Trouble): Problem {
  return {
    code,
    message,
    sinceMs: since.getTime(),
    ...(partition !== undefined && { partition }),
  };
}
