import type { Clock, Host } from '@leadership/core/backend';
import type { KafkaClient } from './client-port.ts';
import type { OwnOptions } from './options.ts';

/** The options and services that the parts of one member share. */
export interface Wiring extends Pick<OwnOptions, 'topic' | 'sessionTimeoutMs' | 'topicCheck'> {
  readonly client: KafkaClient;
  readonly group: string;
  readonly partitions: number;
  readonly thresholdMs: number;
  readonly clock: Clock;
  /** Whether this member only observes, at first. Default: it does not. */
  readonly observes?: boolean;
  readonly host: Pick<Host, 'member' | 'incarnation' | 'random' | 'confirmed' | 'trouble' | 'warning'>;
}

/** How patient a member is with its brokers. */
export interface Limits {
  /** The time limit of requests outside of an election: connecting, the leaders, the check of the topic. Milliseconds. */
  readonly limitMs: number;
  /** When the client forgets a question; ours are given up sooner. Milliseconds. */
  readonly requestTimeoutMs: number;
}

/** Connecting takes a few round trips, and more with a name lookup and a certificate check. Milliseconds. */
const connectMs = 5_000;
const requestTimeoutMsMin = 1_000;

export function limitsOf({ thresholdMs }: Pick<Wiring, 'thresholdMs'>): Limits {
  return { limitMs: Math.max(connectMs, thresholdMs), requestTimeoutMs: Math.max(requestTimeoutMsMin, thresholdMs) };
}
