// A broker in this process: a log of beats on each partition, and a coordinator for each group. For members that cannot tell it
// from a real one by anything but its speed.
import type { Clock } from '@leadership/core/backend';
import { type Coordinator, coordinator } from './coordinator.ts';
import { type TopicLog, topicLog } from './topic-log.ts';

/** How the coordinators keep sessions. Milliseconds. */
export interface BrokerSettings {
  readonly sessionTimeoutMs: number;
  readonly rebalanceTimeoutMs: number;
}

/** What members connect to. */
export interface Broker {
  readonly settings: BrokerSettings;
  /** The log of a partition of the topic, which all groups share (I6). */
  log(partition: number): TopicLog;
  coordinator(group: string, clock: Clock): Coordinator;
}

/** A broker that nobody has connected to yet. */
export function memoryBroker(settings: BrokerSettings): Broker {
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
