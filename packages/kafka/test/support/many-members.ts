// Many members of one consumer group in one process: each is only a session in the group.
import { monotonicClock } from '@leadership/core/adapter';
import type { Plan, Share } from '../../src/group/plan.ts';
import { stickyAssigner } from '../../src/group/sticky-assigner.ts';
import { kafkajsClient } from '../../src/kafkajs/kafkajs-client.ts';

/** The plans that the members have received. */
export interface ManyMembers extends AsyncDisposable {
  /** The last plan of each member; `undefined` before the first one. */
  readonly plans: ReadonlyMap<string, Plan>;
}

/** Starts this number of members of a group that assigns partitions. */
export function manyMembers(
  brokers: readonly string[],
  topic: string,
  count: number,
  partitions: number,
): ManyMembers {
  const { runGroupSession } = kafkajsClient({ brokers: [...brokers], connectionTimeout: 30_000 });
  const over = new AbortController();
  const plans = new Map<string, Plan>();
  const limits = {
    sessionTimeoutMs: 60_000,
    heartbeatMs: 1_000,
    limitMs: 60_000,
    requestTimeoutMs: 90_000,
  };
  const join = (incarnation: string): Promise<void> => {
    let joins = 0;
    let share: Pick<Share, 'plan' | 'partitions'> = { plan: 0, partitions: [] };
    const standing = () => ({ plan: share.plan, holds: share.partitions, declines: [] });
    const memberInfo = () => ({ incarnation, session: ++joins, standing: standing() });
    const planned = (plan: Plan): void => {
      plans.set(incarnation, plan);
      share = plan.share ?? share;
    };
    const fits = (plan: Plan): boolean => plan.share?.session === joins;
    const group = {
      groupId: `leadership:${topic}:many`,
      assigner: stickyAssigner({ topic, partitions, memberInfo }),
    };
    return runGroupSession(
      { ...limits, ...group, topic, clock: monotonicClock, planned, fits },
      over.signal,
    );
  };
  const sessions = Array.from({ length: count }, (_, index) => join(`${index}`.padStart(36, 'i')));
  const gone = Promise.allSettled(sessions);
  return {
    plans,
    async [Symbol.asyncDispose]() {
      over.abort();
      await gone;
    },
  };
}
