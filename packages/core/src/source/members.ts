import type { Observable } from 'rxjs';
import type { KnownMember } from '../contract/backend.ts';
import type { GroupMember } from '../contract/member.ts';
import { nextTurn } from '../process/next-turn.ts';
import type { Clock } from '../time/clock.ts';
import { partitionOf } from './partition-of.ts';
import { stream } from './stream.ts';

/** The present members of a group. */
export interface Members {
  members(): readonly GroupMember[];
  readonly members$: Observable<readonly GroupMember[]>;
  /** Whether the backend lists members, though it may list none now. */
  readonly areListed: boolean;
  /** Sets what the backend knows. */
  set(known: readonly KnownMember[]): void;
  /** Notes that another member may lead a partition. */
  changed(): void;
  complete(): void;
}

/** The state that the members are read from. */
export interface MembersParts {
  readonly incarnation: string;
  readonly partitions: number;
  readonly clock: Clock;
  /** Returns the partitions that each incarnation leads, in ascending order. */
  readonly led: () => ReadonlyMap<string, readonly number[]>;
}

/** Creates a view without members. */
export function membersOf({ incarnation, partitions, clock, led }: MembersParts): Members {
  let known: readonly KnownMember[] | undefined;
  const members = (): readonly GroupMember[] => {
    const partitionsOf = led();
    const memberOf = (one: KnownMember): GroupMember => ({
      member: one.member,
      self: one.incarnation === incarnation,
      ...(one.since !== undefined && { since: new Date(one.since) }),
      isCandidate: one.isCandidate,
      leads: partitionsOf.get(one.incarnation) ?? [],
      metadata: one.metadata,
      roles: rolesOf(one.roles ?? [], partitions),
      ...(one.trouble !== undefined && { trouble: one.trouble }),
    });
    return [...(known ?? [])].sort(byName).map(memberOf);
  };
  const update = (): void => {
    const now = members();
    if (!isSame(now, values.value)) values.set(now);
  };
  const values = stream<readonly GroupMember[]>([], update);
  let isUpdateDue = false;
  // One update for all changes of a turn: a member may begin to lead thousands of partitions in it.
  const changed = (): void => {
    if (values.observed && !isUpdateDue) updateNextTurn();
  };
  const updateNextTurn = (): void => {
    isUpdateDue = true;
    void nextTurn(clock).then(() => {
      isUpdateDue = false;
      if (values.observed) update();
    });
  };
  return {
    members,
    members$: values.value$,
    get areListed() {
      return known !== undefined;
    },
    set(list) {
      known = list;
      changed();
    },
    changed,
    complete() {
      update();
      values.complete();
    },
  };
}

/** Returns whether two lists say the same. */
export function isSame(a: readonly GroupMember[], b: readonly GroupMember[]): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** In an order that does not change while a member runs. */
function byName(a: KnownMember, b: KnownMember): number {
  if (a.member !== b.member) return a.member < b.member ? -1 : 1;
  return (a.since ?? 0) - (b.since ?? 0) || (a.incarnation < b.incarnation ? -1 : 1);
}

function rolesOf(roles: readonly string[], partitions: number): Readonly<Record<string, number>> {
  return Object.fromEntries(roles.map((role) => [role, partitionOf(role, partitions)]));
}
