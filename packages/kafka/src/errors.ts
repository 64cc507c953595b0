// What KafkaJS and the brokers say, mapped once. Final where only a person can mend it; `unreachable` where time can.
import { LeadershipError, type LeadershipErrorCode } from '@leadership/core';
import { firstCausesOf } from './causes.ts';

interface Meaning {
  readonly code: LeadershipErrorCode;
  /** What is wrong and what to do; what was tried stands in front. */
  readonly advice: string;
}

/** Stands for the right that was needed. */
const neededRight = '{right}';

/** Stands for the option that configures the login. */
const loginOption = '{login}';

const loginAdvice = `the brokers refuse this login: correct user, password and mechanism in ${loginOption}`;

/** What the topic is asked for, by the name of the right that it takes. */
export type TopicRight = 'Read' | 'Write' | 'Delete';

/** By the protocol's name of the error, or KafkaJS' own name where it has none. */
const meanings: Readonly<Record<string, Meaning>> = {
  KafkaJSSASLAuthenticationError: { code: 'unauthorized', advice: loginAdvice },
  SASL_AUTHENTICATION_FAILED: { code: 'unauthorized', advice: loginAdvice },
  UNSUPPORTED_SASL_MECHANISM: { code: 'unauthorized', advice: loginAdvice },
  TOPIC_AUTHORIZATION_FAILED: { code: 'unauthorized', advice: `a right is missing: grant ${neededRight} on the topic` },
  GROUP_AUTHORIZATION_FAILED: { code: 'unauthorized', advice: 'a right is missing: grant Read on the consumer group' },
  CLUSTER_AUTHORIZATION_FAILED: { code: 'unauthorized', advice: 'a right is missing: create the topic, or grant Create on it' },
  INVALID_SESSION_TIMEOUT: {
    code: 'misconfigured-backend',
    advice:
      'the brokers allow no sessions of that length: set sessionTimeoutMs between their group.min.session.timeout.ms and group.max.session.timeout.ms',
  },
  INCONSISTENT_GROUP_PROTOCOL: {
    code: 'misconfigured-backend',
    advice: 'somebody else consumes under that name: no other consumer may join it',
  },
  GROUP_MAX_SIZE_REACHED: { code: 'misconfigured-backend', advice: 'the brokers allow no more members: see their group.max.size' },
  INVALID_TOPIC_EXCEPTION: { code: 'misconfigured-backend', advice: 'this is no name of a topic: use letters, digits, ".", "_" and "-"' },
  // As many replicas are asked for as brokers were there a moment ago.
  INVALID_REPLICATION_FACTOR: { code: 'unreachable', advice: 'fewer brokers are there than a moment ago' },
  INVALID_PARTITIONS: { code: 'misconfigured-backend', advice: 'the brokers do not allow so many partitions' },
  INVALID_CONFIG: { code: 'misconfigured-backend', advice: 'the brokers do not allow its settings: create the topic by hand' },
  POLICY_VIOLATION: { code: 'misconfigured-backend', advice: 'the brokers do not allow its settings: create the topic by hand' },
  KafkaJSNotImplemented: {
    code: 'misconfigured-backend',
    advice: 'it holds records compressed in a way KafkaJS cannot read: set compression.type=uncompressed on the topic',
  },
  UNSUPPORTED_COMPRESSION_TYPE: {
    code: 'misconfigured-backend',
    advice:
      'it holds records compressed in a way that @platformatic/kafka cannot read here: set compression.type=uncompressed on the topic',
  },
  // By this name of ours: the protocol has none for it.
  UNKNOWN_ERROR_CODE: {
    code: 'unreachable',
    advice: 'a broker answered with an error code that the client does not know: install a later release of @platformatic/kafka',
  },
  UNKNOWN_TOPIC_OR_PARTITION: { code: 'unreachable', advice: 'there is no such topic, or not yet' },
  NOT_ENOUGH_REPLICAS: { code: 'unreachable', advice: 'fewer replicas are in sync than min.insync.replicas: bring brokers back' },
  NOT_ENOUGH_REPLICAS_AFTER_APPEND: {
    code: 'unreachable',
    advice: 'fewer replicas are in sync than min.insync.replicas: bring brokers back',
  },
  LEADER_NOT_AVAILABLE: { code: 'unreachable', advice: 'a partition has no leader just now' },
  NOT_LEADER_FOR_PARTITION: { code: 'unreachable', advice: 'a partition is moving to another broker' },
  REQUEST_TIMED_OUT: { code: 'unreachable', advice: 'the replicas did not answer in time' },
};

/**
 * `error` as this library speaks of it; `what` is what was tried, and `right` what that takes on the topic: brokers do not say which one
 * is missing. An error that is mapped already passes.
 */
export function kafkaError(error: unknown, what: string, right: TopicRight = 'Read'): LeadershipError {
  if (error instanceof LeadershipError) return error;
  const causes = firstCausesOf(error);
  const named = causes
    .flatMap((cause) => [typeOf(cause), nameOf(cause)])
    .find((name) => name !== undefined && Object.hasOwn(meanings, name));
  const { code, advice } = meanings[named ?? ''] ?? { code: 'unreachable', advice: messageOf(causes.at(-1)) };
  const text = advice.replace(neededRight, right).replace(loginOption, loginOptionIn(causes));
  return new LeadershipError(code, `${what}: ${text}`, { cause: error });
}

/** Where the login of the client in use is configured: an error of another client than KafkaJS says so. */
function loginOptionIn(causes: readonly unknown[]): string {
  for (const cause of causes) {
    if (typeof cause === 'object' && cause !== null && 'loginOption' in cause) return String(cause.loginOption);
  }
  return 'kafka.sasl';
}

/** Whether the brokers said this, by the protocol's name of it, whatever KafkaJS wrapped around it. */
export function isSaid(error: unknown, ...types: readonly string[]): boolean {
  return firstCausesOf(error).some((cause) => types.includes(typeOf(cause) ?? ''));
}

/** Whether KafkaJS calls it so. */
export function isNamed(error: unknown, ...names: readonly string[]): boolean {
  return firstCausesOf(error).some((cause) => names.includes(nameOf(cause) ?? ''));
}

function typeOf(error: unknown): string | undefined {
  return typeof error === 'object' && error !== null && 'type' in error && typeof error.type === 'string' ? error.type : undefined;
}

function nameOf(error: unknown): string | undefined {
  return error instanceof Error ? error.name : undefined;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
