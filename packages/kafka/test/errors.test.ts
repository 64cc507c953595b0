import { LeadershipError } from '@leadership/core';
import kafkajs from 'kafkajs';
import { describe, expect, it } from 'vitest';
import { hasErrorType, isNamed, kafkaError } from '../src/errors.ts';

/** Returns a broker's answer as an error of KafkaJS. */
const said = (type: string): Error =>
  Object.assign(new kafkajs.KafkaJSProtocolError(new Error(`they said ${type}`)), { type });

describe('errors of KafkaJS and of brokers', () => {
  it.each([
    ['TOPIC_AUTHORIZATION_FAILED', 'unauthorized', /grant Read on the topic/],
    ['GROUP_AUTHORIZATION_FAILED', 'unauthorized', /grant Read on the consumer group/],
    ['CLUSTER_AUTHORIZATION_FAILED', 'unauthorized', /Create/],
    ['SASL_AUTHENTICATION_FAILED', 'unauthorized', /kafka\.sasl/],
    ['INVALID_REPLICATION_FACTOR', 'unreachable', /brokers/],
    ['UNKNOWN_TOPIC_OR_PARTITION', 'unreachable', /no such topic/],
    ['INVALID_SESSION_TIMEOUT', 'misconfigured-backend', /sessionTimeoutMs/],
    ['NOT_ENOUGH_REPLICAS', 'unreachable', /min\.insync\.replicas/],
    ['MESSAGE_TOO_LARGE', 'misconfigured-backend', /max\.message\.bytes=1000000/],
    ['INVALID_RECORD', 'misconfigured-backend', /cleanup\.policy=delete/],
    ['SOMETHING_NEW', 'unreachable', /they said SOMETHING_NEW/],
  ])('%s is %s, and says what to do', (type, code, sentence) => {
    expect(kafkaError(said(type), 'topic t')).toMatchObject({
      code,
      message: expect.stringMatching(sentence),
    });
  });

  it.each(['Read', 'Write', 'Delete'] as const)('name the missing right: %s', (right) => {
    const { message } = kafkaError(said('TOPIC_AUTHORIZATION_FAILED'), 'topic t', right);
    expect(message).toBe(`topic t: a right is missing: grant ${right} on the topic`);
  });

  it("are found among the causes of KafkaJS's errors", () => {
    const cause = said('TOPIC_AUTHORIZATION_FAILED');
    const wrapped = new kafkajs.KafkaJSNumberOfRetriesExceeded(cause, {
      retryCount: 0,
      retryTime: 0,
    });
    const several = new kafkajs.KafkaJSAggregateError('several', [cause]);
    const ofPartitions = Object.assign(new Error('some'), {
      partitions: [{ partition: 0 }, { partition: 1, error: cause }],
    });
    for (const error of [wrapped, several, ofPartitions]) {
      expect(kafkaError(error, 'topic t').code).toBe('unauthorized');
      expect(hasErrorType(error, 'TOPIC_AUTHORIZATION_FAILED')).toBe(true);
      expect(hasErrorType(error, 'REQUEST_TIMED_OUT')).toBe(false);
    }
    expect(isNamed(wrapped, 'KafkaJSProtocolError')).toBe(true);
  });

  it('keep their cause, and are mapped only once', () => {
    const cause = said('REQUEST_TIMED_OUT');
    const mapped = kafkaError(cause, 'topic t');
    expect(mapped).toBeInstanceOf(LeadershipError);
    expect(mapped.cause).toBe(cause);
    expect(kafkaError(mapped, 'elsewhere')).toBe(mapped);
  });

  it('are mapped for any thrown value', () => {
    const circle: { cause?: unknown } = {};
    circle.cause = circle;
    for (const thrown of [undefined, null, 'text', 5, {}, circle, new Error('')])
      expect(kafkaError(thrown, 'topic t').code).toBe('unreachable');
  });
});
