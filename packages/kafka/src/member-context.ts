// The settings of one member that its parts share: options, client, clock and limits.
import type { Clock, Host } from '@leadership/core/adapter';
import type { KafkaClient } from './kafka-client.ts';
import type { OwnOptions } from './options.ts';

/** The options and services that the parts of one member share. */
export interface MemberContext
  extends Pick<OwnOptions, 'topic' | 'sessionTimeoutMs' | 'topicCheck'> {
  readonly client: KafkaClient;
  readonly group: string;
  readonly partitions: number;
  readonly thresholdMs: number;
  readonly clock: Clock;
  /**
   * Whether this member is a candidate now. Any other member creates nothing, and only reads.
   * Absent: always.
   */
  readonly candidacy?: { isCandidate: boolean };
  readonly host: Pick<
    Host,
    'member' | 'incarnation' | 'clock' | 'random' | 'confirmed' | 'trouble' | 'warning'
  >;
}

/** Returns whether this member may create and write what the group needs. */
export function mayCreate({ candidacy }: Pick<MemberContext, 'candidacy'>): boolean {
  return candidacy?.isCandidate ?? true;
}

/** Notes whether the member is a candidate from now on. */
export function setCandidate(
  { candidacy }: Pick<MemberContext, 'candidacy'>,
  isCandidate: boolean,
): void {
  if (candidacy !== undefined) candidacy.isCandidate = isCandidate;
}

/** The time limits of a member's requests. */
export interface Limits {
  /**
   * The limit of requests outside the election (connecting, the leaders, the check of the topic),
   * in milliseconds.
   */
  readonly limitMs: number;
  /**
   * The time after which the client itself rejects a request, in milliseconds. The adapter's own
   * limits are shorter.
   */
  readonly requestTimeoutMs: number;
}

/**
 * Connecting takes a few round trips, and more with a name lookup and a certificate check.
 * Milliseconds.
 */
const connectMs = 5_000;
const requestTimeoutMsMin = 1_000;

export function limitsOf({ thresholdMs }: Pick<MemberContext, 'thresholdMs'>): Limits {
  return {
    limitMs: Math.max(connectMs, thresholdMs),
    requestTimeoutMs: Math.max(requestTimeoutMsMin, thresholdMs),
  };
}
