// Maps the errors of clients and brokers to the library's codes, in one place. A code is final if
// only an operator can correct the cause; `unreachable` errors may pass by themselves.
import { LeadershipError, type LeadershipErrorCode } from '@leadership/core';
import { firstCausesOf } from './causes.ts';

interface Meaning {
  readonly code: LeadershipErrorCode;
  /** The fault and its remedy. The message starts with the operation that failed. */
  readonly advice: string;
}

/** A placeholder for the right that the operation needs. */
const neededRight = '{right}';

/** A placeholder for the option that configures the login. */
const loginOption = '{login}';

const loginAdvice = `the brokers refuse this login: correct user, password and mechanism in ${loginOption}`;

/** Kafka's name of the right that a request needs on the topic. */
export type TopicRight = 'Read' | 'Write' | 'Delete';

/**
 * The meanings by the protocol's name of the error, or by KafkaJS's name for an error that is not
 * in the protocol.
 */
const meanings: Readonly<Record<string, Meaning>> = {
  KafkaJSSASLAuthenticationError: { code: 'unauthorized', advice: loginAdvice },
  SASL_AUTHENTICATION_FAILED: { code: 'unauthorized', advice: loginAdvice },
  UNSUPPORTED_SASL_MECHANISM: { code: 'unauthorized', advice: loginAdvice },
  TOPIC_AUTHORIZATION_FAILED: {
    code: 'unauthorized',
    advice: `a right is missing: grant ${neededRight} on the topic`,
  },
  GROUP_AUTHORIZATION_FAILED: {
    code: 'unauthorized',
    advice: 'a right is missing: grant Read on the consumer group',
  },
  CLUSTER_AUTHORIZATION_FAILED: {
    code: 'unauthorized',
    advice: 'a right is missing: create the topic, or grant Create on it',
  },
  INVALID_SESSION_TIMEOUT: {
    code: 'misconfigured-backend',
    advice:
      'the brokers do not allow this session timeout: set sessionTimeoutMs between their group.min.session.timeout.ms and group.max.session.timeout.ms',
  },
  INCONSISTENT_GROUP_PROTOCOL: {
    code: 'misconfigured-backend',
    advice: 'another application uses this consumer group: no other consumer may join it',
  },
  GROUP_MAX_SIZE_REACHED: {
    code: 'misconfigured-backend',
    advice: 'the group has as many members as the brokers allow: see their group.max.size',
  },
  INVALID_TOPIC_EXCEPTION: {
    code: 'misconfigured-backend',
    advice: 'invalid topic name: use letters, digits, ".", "_" and "-"',
  },
  // The request names as many replicas as there were brokers a moment ago.
  INVALID_REPLICATION_FACTOR: {
    code: 'unreachable',
    advice: 'fewer brokers are available than a moment ago',
  },
  INVALID_PARTITIONS: {
    code: 'misconfigured-backend',
    advice: 'the brokers do not allow this number of partitions',
  },
  INVALID_CONFIG: {
    code: 'misconfigured-backend',
    advice: 'the brokers do not allow its settings: create the topic by hand',
  },
  POLICY_VIOLATION: {
    code: 'misconfigured-backend',
    advice: 'the brokers do not allow its settings: create the topic by hand',
  },
  // Records of leases have no key, which a broker requires to compact a topic.
  INVALID_RECORD: {
    code: 'misconfigured-backend',
    advice:
      'the brokers refuse its records, as they do if it is compacted: set cleanup.policy=delete on the topic',
  },
  MESSAGE_TOO_LARGE: {
    code: 'misconfigured-backend',
    advice: 'the brokers refuse a record of this size: set max.message.bytes=1000000 on the topic',
  },
  KafkaJSNotImplemented: {
    code: 'misconfigured-backend',
    advice:
      'it holds records compressed in a way KafkaJS cannot read: set compression.type=uncompressed on the topic',
  },
  UNSUPPORTED_COMPRESSION_TYPE: {
    code: 'misconfigured-backend',
    advice:
      'it holds records compressed in a way that @platformatic/kafka cannot read here: set compression.type=uncompressed on the topic',
  },
  // The adapter's own name: the protocol has no name for it.
  UNKNOWN_ERROR_CODE: {
    code: 'unreachable',
    advice:
      'a broker answered with an error code that the client does not know: install a later release of @platformatic/kafka',
  },
  UNKNOWN_TOPIC_OR_PARTITION: { code: 'unreachable', advice: 'there is no such topic, or not yet' },
  NOT_ENOUGH_REPLICAS: {
    code: 'unreachable',
    advice: 'fewer replicas are in sync than min.insync.replicas: bring brokers back',
  },
  NOT_ENOUGH_REPLICAS_AFTER_APPEND: {
    code: 'unreachable',
    advice: 'fewer replicas are in sync than min.insync.replicas: bring brokers back',
  },
  LEADER_NOT_AVAILABLE: { code: 'unreachable', advice: 'a partition has no leader just now' },
  NOT_LEADER_FOR_PARTITION: {
    code: 'unreachable',
    advice: 'a partition is moving to another broker',
  },
  REQUEST_TIMED_OUT: { code: 'unreachable', advice: 'the replicas did not answer in time' },
};

/**
 * Maps `error` to a LeadershipError. `what` names the operation, and `right` the right that it
 * needs on the topic, because brokers do not report which right is missing. Returns a
 * LeadershipError unchanged.
 */
export function kafkaError(
  error: unknown,
  what: string,
  right: TopicRight = 'Read',
): LeadershipError {
  if (error instanceof LeadershipError) return error;
  const causes = firstCausesOf(error);
  const named = causes
    .flatMap((cause) => [typeOf(cause), nameOf(cause)])
    .find((name) => name !== undefined && Object.hasOwn(meanings, name));
  const { code, advice } = meanings[named ?? ''] ?? {
    code: 'unreachable',
    advice: messageOf(causes.at(-1)),
  };
  const text = advice.replace(neededRight, right).replace(loginOption, loginOptionIn(causes));
  return new LeadershipError(code, `${what}: ${text}`, { cause: error });
}

/**
 * Returns the option that configures the login. An error of a client other than KafkaJS names its
 * own option.
 */
function loginOptionIn(causes: readonly unknown[]): string {
  for (const cause of causes) {
    if (typeof cause === 'object' && cause !== null && 'loginOption' in cause)
      return String(cause.loginOption);
  }
  return 'kafka.sasl';
}

/** Returns whether the error, or one of its causes, is one of these errors of the protocol. */
export function hasErrorType(error: unknown, ...types: readonly string[]): boolean {
  return firstCausesOf(error).some((cause) => types.includes(typeOf(cause) ?? ''));
}

/** Returns whether the error, or one of its causes, has one of these names of KafkaJS. */
export function isNamed(error: unknown, ...names: readonly string[]): boolean {
  return firstCausesOf(error).some((cause) => names.includes(nameOf(cause) ?? ''));
}

function typeOf(error: unknown): string | undefined {
  return typeof error === 'object' &&
    error !== null &&
    'type' in error &&
    typeof error.type === 'string'
    ? error.type
    : undefined;
}

function nameOf(error: unknown): string | undefined {
  return error instanceof Error ? error.name : undefined;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
