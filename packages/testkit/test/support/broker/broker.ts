// An in-process broker: a log of beats per partition and a coordinator per group. It behaves like a
// real broker, only faster.
import type { Clock } from '@leadership/core/adapter';
import { type Coordinator, type CoordinatorSettings, coordinator } from './coordinator.ts';
import { type TopicLog, topicLog } from './topic-log.ts';

/** The broker that members connect to. */
export interface Broker {
  readonly settings: CoordinatorSettings;
  /** Returns the log of a partition. All groups share the topic (I6). */
  log(partition: number): TopicLog;
  coordinator(group: string, clock: Clock): Coordinator;
}

/** Creates a broker without connections. */
export function memoryBroker(settings: CoordinatorSettings): Broker {
  const logs = new Map<number, TopicLog>();
  const coordinators = new Map<string, Coordinator>();
  return {
    settings,
    log: (partition) => made(logs, partition, topicLog),
    coordinator: (group, clock) => made(coordinators, group, () => coordinator(settings, clock)),
  };
}

function made<Name, T>(known: Map<Name, T>, name: Name, make: () => T): T {
  const one = known.get(name) ?? make();
  known.set(name, one);
  return one;
}
