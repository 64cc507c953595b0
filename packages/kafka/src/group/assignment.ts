// The consumer group as an assignment (I): the partitions that the group's plan gives this member,
// and the plan's generation.
import type { LeadershipError } from '@leadership/core';
import type { Host } from '@leadership/core/adapter';
import { after, latestValue } from '@leadership/core/internal/engine';
import type { Assigned, Assignment } from '@leadership/induction';
import { kafkaError } from '../errors.ts';
import type { MemberContext } from '../member-context.ts';
import type { RunGroupSession } from './group-client.ts';
import {
  type GroupSessionsOptions,
  groupIdOf,
  groupLimitsOf,
  groupSessions,
  heartbeatMsOf,
} from './group-sessions.ts';
import type { MemberInfo, Plan, Share } from './plan.ts';
import { stickyAssigner } from './sticky-assigner.ts';

/**
 * Returns an assignment that joins the consumer group once the topic exists. `runSession` runs one
 * session in the group; tests replace it.
 */
export function groupAssignment(
  context: MemberContext,
  topicIsThere: Promise<void>,
  runSession: RunGroupSession = context.client.runGroupSession,
): Assignment {
  const { partitions, host } = context;
  const known = outcomes();
  let declines: readonly number[] = [];
  let standing: AbortController | undefined;
  let joins = 0;
  // Each join sends a new count. Of the plans that name this member, only the one with the last
  // count is current.
  let joinedWith: readonly number[] = [];
  const memberInfo = (): MemberInfo => {
    joins += 1;
    joinedWith = declines;
    return {
      incarnation: host.incarnation,
      session: joins,
      standing: { plan: known.plan(), holds: known.holds(), declines },
    };
  };
  const lifeOptions: GroupSessionsOptions = {
    context,
    topicIsThere,
    assigner: stickyAssigner({ topic: context.topic, partitions, memberInfo }),
    planned(plan, generation) {
      known.planned(plan, generation);
      reminder.restart();
    },
    disturbed: known.disturbed,
    fits: ({ share }) => share?.session === joins,
    broke: (error) => known.broke(kafkaError(error, `consumer group ${groupIdOf(context)}`)),
  };
  const life = groupSessions(lifeOptions, runSession);
  const isHeld = (partition: number): boolean => known.holds().includes(partition);
  const trigger = rebalanceTrigger(context, runSession, () => declines !== joinedWith);
  const remind = (): void => {
    if (standing) trigger.fire(standing.signal);
  };
  const reminder = new Reminder(context, {
    isDue: () => standing !== undefined && !known.isAlone() && declines.some(isHeld),
    remind,
  });
  return {
    assigned: known.assigned,
    setCandidate(on) {
      if (on === (standing !== undefined)) return;
      standing?.abort();
      standing = on ? new AbortController() : undefined;
      if (standing) void life.run(standing.signal);
    },
    declined(now, isBack = false) {
      const before = declines;
      declines = [...now];
      const isNew = (partition: number): boolean =>
        !before.includes(partition) && isHeld(partition);
      const isLacking = isBack && known.holds().length < Math.floor(partitions / known.members());
      if (standing && (declines.some(isNew) || isLacking)) trigger.ask(standing.signal);
      reminder.check();
    },
    async close() {
      reminder[Symbol.dispose]();
      standing?.abort();
      standing = undefined;
      await Promise.all([life.left(), trigger.over()]);
    },
  };
}

/** The longest time between two rebalances for declined partitions, in T. */
const reminderThresholdsMax = 16;

/**
 * Triggers another rebalance while this member holds a partition that it declines: the group gives
 * it such a partition only if all members decline it, and learns only in a rebalance that one of
 * them no longer does. First after T, then after twice that time each, or up to twice as long. A
 * rebalance that another member started does as well.
 */
class Reminder implements Disposable {
  readonly #host: Pick<Host, 'clock' | 'random'>;
  readonly #thresholdMs: number;
  readonly #parts: ReminderParts;
  #timer: Disposable | undefined;
  #waitMs: number;

  constructor({ host, thresholdMs }: MemberContext, parts: ReminderParts) {
    this.#host = host;
    this.#thresholdMs = thresholdMs;
    this.#parts = parts;
    this.#waitMs = thresholdMs;
  }

  /** Starts the wait, unless it has begun, or ends it if no rebalance is needed. */
  check(): void {
    const { isDue, remind } = this.#parts;
    if (!isDue()) return this[Symbol.dispose]();
    const { clock, random } = this.#host;
    const waitMs = this.#waitMs * (1 + random());
    this.#timer ??= clock.wake(after(clock.now(), waitMs), () => {
      this.#timer = undefined;
      this.#waitMs = Math.min(2 * this.#waitMs, reminderThresholdsMax * this.#thresholdMs);
      if (isDue()) remind();
      this.check();
    });
  }

  /** Starts the wait again after a rebalance, unless another one is not needed any more. */
  restart(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    this.check();
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    this.#waitMs = this.#thresholdMs;
  }
}

interface ReminderParts {
  /** Returns whether a rebalance is needed. */
  readonly isDue: () => boolean;
  readonly remind: () => void;
}

/** The group's decisions for one member. */
interface Outcomes extends Pick<Assignment, 'assigned'> {
  readonly planned: (plan: Plan, generation: number | undefined) => void;
  readonly disturbed: () => void;
  readonly broke: (error: LeadershipError) => void;
  /** Returns the partitions of this member. */
  readonly holds: () => readonly number[];
  /** Returns the number of the plan that assigned them. */
  readonly plan: () => number;
  readonly isAlone: () => boolean;
  /** Returns the number of members, at least 1. */
  readonly members: () => number;
}

function outcomes(): Outcomes {
  const changed = latestValue<Assigned | { readonly error: LeadershipError }>();
  let share: Pick<Share, 'plan' | 'partitions'> = { plan: 0, partitions: [] };
  let last: Assigned | undefined;
  let members = 1;
  const publish = (assigned: Assigned): void => {
    last = assigned;
    changed.set(assigned);
  };
  return {
    holds: () => share.partitions,
    plan: () => share.plan,
    isAlone: () => last?.alone === true,
    members: () => members,
    async *assigned(signal) {
      for await (const update of changed.follow(signal)) {
        if ('error' in update) throw update.error;
        yield update;
      }
    },
    planned(plan, generation) {
      if (plan.share === undefined) return;
      share = plan.share;
      members = Math.max(1, plan.members.size);
      const alone = members === 1;
      publish({
        partitions: new Set(share.partitions),
        alone,
        ...(generation !== undefined && { generation }),
      });
    },
    disturbed() {
      // A member that leaves before it knows of a newcomer would leave a gap in leadership.
      if (last?.alone === true) publish({ ...last, alone: false });
    },
    broke: (error) => changed.set({ error }),
  };
}

/** Triggers rebalances of the group. */
interface RebalanceTrigger {
  /** Triggers a rebalance, unless the signal aborts. */
  fire(signal: AbortSignal): void;
  /**
   * Triggers a rebalance, unless one is in progress that this member joins later: partitions that are
   * declined one after the other need one rebalance.
   */
  ask(signal: AbortSignal): void;
  /** Resolves once every temporary member has left. */
  over(): Promise<void>;
}

/**
 * Returns a trigger for rebalances. Clients cannot request a rebalance directly, so a temporary
 * member joins, accepts no partitions and leaves again. The other members keep their partitions.
 * `isMissed`: this member joined the last one before it was asked for.
 */
function rebalanceTrigger(
  context: MemberContext,
  runSession: RunGroupSession,
  isMissed: () => boolean,
): RebalanceTrigger {
  const { topic, partitions } = context;
  const assigner = stickyAssigner({ topic, partitions, memberInfo: () => undefined });
  const named = { groupId: groupIdOf(context), heartbeatMs: heartbeatMsOf(context) };
  const options = { ...context, ...groupLimitsOf(context), ...named, assigner };
  const sessions = new Set<Promise<void>>();
  let asked: AbortSignal | undefined;
  const fire = (signal: AbortSignal): void => {
    const over = new AbortController();
    const planned = (): void => over.abort();
    // If the join fails, the next rebalance has the same effect.
    const session = runSession(
      { ...options, planned },
      AbortSignal.any([signal, over.signal]),
    ).catch(() => undefined);
    sessions.add(session);
    void session.then(() => {
      sessions.delete(session);
      const again = isMissed() ? asked : undefined;
      asked = undefined;
      if (again?.aborted === false) fire(again);
    });
  };
  return {
    fire,
    ask(signal) {
      if (sessions.size > 0) asked = signal;
      else fire(signal);
    },
    over: async () => void (await Promise.all(sessions)),
  };
}
