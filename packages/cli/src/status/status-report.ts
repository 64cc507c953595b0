// Collects what `leadership status` prints.
import type { GroupMember, Guarantees, Health, LeadershipSource, Metadata } from '@leadership/core';
import { isUnknownGroup, publishedRoles } from '@leadership/core/internal';

/** The known leader of a partition. */
interface LeaderReport {
  readonly member: string;
  readonly token: string;
  /** When the term began, as an ISO 8601 date, if the token contains it. */
  readonly since?: string;
  readonly metadata: Metadata;
}

/** The report of `status`. `--json` prints it. */
export interface StatusReport {
  readonly group: string;
  /** The number of partitions of the group; `null` if no member has ever opened it. */
  readonly partitions: number | null;
  /** The requested partitions: all, or those of the roles. Empty if no member has opened the group. */
  readonly leaders: readonly {
    readonly partition: number;
    /** The roles of the command line that this partition contains, then those that members publish. */
    readonly roles: readonly string[];
    readonly leader: LeaderReport | null;
  }[];
  /** The present members; empty if the backend does not list them. */
  readonly members: readonly GroupMember[];
  readonly health: Health;
  readonly guarantees: Guarantees;
}

/** Reports the leaders of the partitions of these roles; without roles, of all partitions. */
export function statusReport(
  source: LeadershipSource,
  roles: readonly string[],
  nowMs: number,
): StatusReport {
  const roster = source.roster();
  const health = source.health();
  const isUnknown = isUnknownGroup(health);
  const members = source.members();
  const published = publishedRoles(members);
  const requested = isUnknown ? [] : requestedPartitions(source, roles);
  const leaders = requested.map((partition) => {
    const leader = roster.get(partition);
    const since = leader && sinceOf(leader.token, nowMs);
    return {
      partition,
      roles: [
        ...new Set([
          ...roles.filter((role) => source.role(role).partition === partition),
          ...(published.get(partition) ?? []),
        ]),
      ],
      leader:
        leader === undefined
          ? null
          : {
              member: leader.member,
              token: String(leader.token),
              ...(since && { since: since.toISOString() }),
              metadata: leader.metadata,
            },
    };
  });
  const { group, guarantees } = source;
  const partitions = isUnknown ? null : source.partitions;
  return { group, partitions, leaders, members, health, guarantees };
}

/** Returns the partitions of these roles in ascending order; without roles, all partitions. */
export function requestedPartitions(
  source: LeadershipSource,
  roles: readonly string[],
): readonly number[] {
  if (roles.length === 0) return Array.from({ length: source.partitions }, (_, index) => index);
  const partitions = new Set(roles.map((role) => source.role(role).partition));
  return [...partitions].sort((a, b) => a - b);
}

/** 2015, in milliseconds since 1970. A smaller token is a counter, not a time. */
const firstTokenMs = Date.UTC(2015);
/** How far the clock of the leader may be ahead. Milliseconds. */
const aheadMsMax = 60_000;

/**
 * Returns when the term of this token began. A token is the wall clock of its leader in
 * microseconds, unless an earlier token was greater (T1). Returns `undefined` for a token
 * that cannot be such a time.
 */
function sinceOf(token: bigint, nowMs: number): Date | undefined {
  const ms = Number(token / 1000n);
  return ms >= firstTokenMs && ms <= nowMs + aheadMsMax ? new Date(ms) : undefined;
}
