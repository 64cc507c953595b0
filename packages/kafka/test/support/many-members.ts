// Many members of one consumer group in one process: no more of each than its stay in the group.
import { monotonicClock } from '@leadership/core/backend';
import { kafkajsClient } from '../../src/kafkajs/kafkajs-client.ts';
import type { Plan, Share } from '../../src/plan.ts';
import { stickyAssigner } from '../../src/sticky-assigner.ts';

/** What the members know. */
export interface ManyMembers extends AsyncDisposable {
  /** The last plan that each of them was told; nothing for those that know none. */
  readonly plans: ReadonlyMap<string, Plan>;
}

/** So many members of a group that assigns partitions, from now on. */
export function manyMembers(brokers: readonly string[], topic: string, count: number, partitions: number): ManyMembers {
  const { stayInGroup } = kafkajsClient({ brokers: [...brokers], connectionTimeout: 30_000 });
  const over = new AbortController();
  const plans = new Map<string, Plan>();
  const patience = { sessionTimeoutMs: 60_000, heartbeatMs: 1_000, limitMs: 60_000, requestTimeoutMs: 90_000 };
  const join = (incarnation: string): Promise<void> => {
    let joins = 0;
    let share: Pick<Share, 'plan' | 'partitions'> = { plan: 0, partitions: [] };
    const standing = () => ({ plan: share.plan, holds: share.partitions, declines: [] });
    const memberInfo = () => ({ incarnation, stay: ++joins, standing: standing() });
    const planned = (plan: Plan): void => {
      plans.set(incarnation, plan);
      share = plan.share ?? share;
    };
    const fits = (plan: Plan): boolean => plan.share?.stay === joins;
    const group = { groupId: `leadership:${topic}:many`, assigner: stickyAssigner({ topic, partitions, memberInfo }), assigns: true };
    return stayInGroup({ ...patience, ...group, topic, clock: monotonicClock, planned, fits }, over.signal);
  };
  const stays = Array.from({ length: count }, (_, index) => join(`${index}`.padStart(36, 'i')));
  const gone = Promise.allSettled(stays);
  return {
    plans,
    async [Symbol.asyncDispose]() {
      over.abort();
      await gone;
    },
  };
}
