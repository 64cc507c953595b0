// The consumer group as an assignment (I): what the group's plan gives this member, and the number of the generation it is for.

import { latest } from '@leadership/core/backend';
import type { Assigned, Assignment } from '@leadership/core/induction';
import { kafkaError } from './errors.ts';
import { stayInGroup } from './group.ts';
import { groupIdOf, groupLife, heartbeatMsOf } from './group-life.ts';
import { heldAssigner } from './held-assigner.ts';
import type { Plan } from './plan.ts';
import { limitsOf, type Wiring } from './wiring.ts';

/** The consumer group as an assignment, from when there is a topic. */
export function groupAssignment(wiring: Wiring, topicIsThere: Promise<void>): Assignment {
  const { partitions, host } = wiring;
  const { incarnation } = host;
  const changed = latest<Assigned | { readonly error: unknown }>();
  let holders: ReadonlyMap<number, string> = new Map();
  let declines: readonly number[] = [];
  let standing: AbortController | undefined;
  const holds = (): number[] => [...holders].filter(([, holder]) => holder === incarnation).map(([partition]) => partition);
  const told = { partitions, holders: () => holders, told: () => ({ incarnation, stay: 0, holds: holds(), declines }) };
  const planned = (plan: Plan, generation: number | undefined): void => {
    holders = preferredIn(plan);
    changed.set({ partitions: new Set(holds()), alone: plan.members.size === 1, ...(generation !== undefined && { generation }) });
  };
  const life = groupLife({
    wiring,
    topicIsThere,
    assigner: heldAssigner(told),
    planned,
    broke: (error) => changed.set({ error: kafkaError(error, `consumer group ${groupIdOf(wiring)}`) }),
  });
  const nudge = nudgeOf(wiring, partitions);
  return {
    async *assigned(signal) {
      for await (const news of changed.follow(signal)) {
        if ('error' in news) throw news.error;
        yield news;
      }
    },
    standing(on) {
      if (on === (standing !== undefined)) return;
      standing?.abort();
      standing = on ? new AbortController() : undefined;
      if (standing) void life.stand(standing.signal);
    },
    declined(now) {
      const before = declines;
      declines = [...now];
      const isNew = declines.some((partition) => !before.includes(partition) && holds().includes(partition));
      if (isNew && standing) nudge(standing.signal);
    },
    async close() {
      standing?.abort();
      standing = undefined;
      await life.left();
    },
  };
}

function preferredIn({ ranks }: Plan): ReadonlyMap<number, string> {
  return new Map([...ranks].flatMap(([partition, [first]]) => (first === undefined ? [] : [[partition, first]])));
}

/**
 * Makes the group plan anew: KafkaJS has no way to ask for that, but somebody who comes and goes, and takes nothing, brings it about.
 * Members that hold something keep it.
 */
function nudgeOf(wiring: Wiring, partitions: number): (signal: AbortSignal) => void {
  const assigner = heldAssigner({ partitions, told: () => undefined, holders: () => new Map() });
  const options = { ...wiring, ...limitsOf(wiring), groupId: groupIdOf(wiring), heartbeatMs: heartbeatMsOf(wiring), assigner };
  return (signal) => {
    const over = new AbortController();
    const planned = (): void => over.abort();
    // Where that fails, the next rebalance does it.
    stayInGroup({ ...options, planned }, AbortSignal.any([signal, over.signal])).catch(() => undefined);
  };
}
