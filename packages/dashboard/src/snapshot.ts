import type { Guarantees, LeadershipSource, Trouble } from '@leadership/core';
import type { ObservedTerm } from './term-history.ts';

/** The state of a group, as the page receives it. */
export interface Snapshot {
  readonly atMs: number;
  readonly group: string;
  /** The name of the member that serves the page. */
  readonly member: string;
  readonly partitions: number;
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
    /** The rest of the lease, if this process leads: other members' leases are not known here. */
    readonly remainingMs?: number;
  }[];
  readonly terms: readonly ObservedTerm[];
}

interface Problem {
  readonly code: string;
  readonly message: string;
  readonly sinceMs: number;
  readonly partition?: number;
}

/** Reads the state of a source. */
export function snapshot(source: LeadershipSource, terms: readonly ObservedTerm[]): Snapshot {
  const { group, member, partitions, guarantees } = source;
  const { ok, confirmedMsAgo, troubles, warnings } = source.health();
  const held = source.held();
  const leaders = [...source.roster()].map(([partition, leader]) => {
    const remainingMs = held.get(partition)?.remainingMs();
    return {
      partition,
      member: leader.member,
      token: String(leader.token),
      self: leader.self,
      ...(remainingMs !== undefined && { remainingMs }),
    };
  });
  return {
    atMs: Date.now(),
    ...{ group, member, partitions, guarantees, ok, confirmedMsAgo, leaders, terms },
    troubles: troubles.map(problem),
    warnings: warnings.map(problem),
  };
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
