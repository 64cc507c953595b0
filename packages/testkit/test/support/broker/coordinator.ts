import { LeadershipError } from '@leadership/core';
import type { Clock } from '@leadership/core/adapter';
import { after, balance } from '@leadership/core/internal/engine';
import type { Assigned } from '@leadership/induction';

/** The session options of a coordinator, in milliseconds. */
export interface CoordinatorSettings {
  readonly sessionTimeoutMs: number;
  readonly rebalanceTimeoutMs: number;
}

/** A joining member. */
interface Applicant {
  readonly incarnation: string;
  /** The configured M (R3). */
  readonly partitions: number;
  readonly declined: ReadonlySet<number>;
  /** Returns whether the member is cut off from the broker. */
  isCut(): boolean;
  assigned(outcome: Assigned): void;
}

/** Tracks the members of a group and assigns each partition to at most one of them. */
export interface Coordinator {
  /**
   * Adds a member, or lets it rejoin.
   * @throws LeadershipError `partitions-differ` if its M differs from that of the current members
   */
  join(member: Applicant): void;
  leave(incarnation: string): void;
  /** Marks the member as unreachable. It remains a member until its session expires. */
  lose(incarnation: string): void;
  /** Marks the member as reachable again and stops its session timer. */
  find(incarnation: string): void;
}

/** Creates an empty group. Simultaneous joins and leaves cause one rebalance. */
export function coordinator(
  { sessionTimeoutMs, rebalanceTimeoutMs }: CoordinatorSettings,
  clock: Clock,
): Coordinator {
  const members = new Map<string, Applicant>();
  const sessions = new Map<string, Disposable>();
  let holders = new Map<number, string>();
  let generation = 0;
  let settling: Disposable | undefined;
  const assign = (): void => {
    settling = undefined;
    generation += 1;
    const [any] = members.values();
    const partitions = any?.partitions ?? 0;
    holders = ownersOf(partitions, members, holders);
    for (const [incarnation, member] of members) {
      const own = new Set(
        [...holders].filter(([, holder]) => holder === incarnation).map(([partition]) => partition),
      );
      if (!member.isCut())
        member.assigned({ partitions: own, generation, alone: members.size === 1 });
    }
  };
  const changed = (): void => {
    settling ??= clock.wake(after(clock.now(), rebalanceTimeoutMs / 2), assign);
    if (members.size > 0) return;
    settling[Symbol.dispose]();
    settling = undefined;
  };
  const leave = (incarnation: string): void => {
    sessions.get(incarnation)?.[Symbol.dispose]();
    sessions.delete(incarnation);
    if (members.delete(incarnation)) changed();
  };
  return {
    leave,
    join(member) {
      const [any] = members.values();
      if (any !== undefined && any.partitions !== member.partitions) throw differs(any, member);
      members.set(member.incarnation, member);
      changed();
    },
    lose(incarnation) {
      if (!members.has(incarnation) || sessions.has(incarnation)) return;
      sessions.set(
        incarnation,
        clock.wake(after(clock.now(), sessionTimeoutMs), () => leave(incarnation)),
      );
    },
    find(incarnation) {
      sessions.get(incarnation)?.[Symbol.dispose]();
      sessions.delete(incarnation);
    },
  };
}

function ownersOf(
  partitions: number,
  members: ReadonlyMap<string, Applicant>,
  holders: ReadonlyMap<number, string>,
): Map<number, string> {
  const held = new Map(
    [...holders].map(([partition, incarnation]) => [partition, { incarnation, token: 0n }]),
  );
  const ranks = balance(partitions, [...members.keys()], held);
  const willing = (partition: number, incarnation: string): boolean =>
    members.get(incarnation)?.declined.has(partition) !== true;
  return new Map(
    [...ranks].flatMap(([partition, order]) => {
      const owner = order.find((incarnation) => willing(partition, incarnation)) ?? order[0];
      return owner === undefined ? [] : [[partition, owner]];
    }),
  );
}

function differs(there: Applicant, one: Applicant): LeadershipError {
  const sentence = `the group runs with partitions ${there.partitions}, but this member is configured with ${one.partitions}`;
  return new LeadershipError('partitions-differ', sentence);
}
