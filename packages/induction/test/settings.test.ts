import { LeadershipError } from '@leadership/core';
import { resolveOptions } from '@leadership/core/adapter';
import { describe, expect, it } from 'vitest';
import { inductionBackend } from '../src/backend.ts';
import type { InductionOptions, InductionTraits } from '../src/options.ts';

const broker: InductionTraits = {
  sessionTimeoutMs: 6000,
  rebalanceTimeoutMs: 2000,
  stamps: 'broker',
  numbered: true,
};

function guaranteesOf(
  { thresholdMs = 10_000, ...options }: InductionOptions & { readonly thresholdMs?: number } = {},
  traits = broker,
): unknown {
  const resolved = resolveOptions({ group: 'g', thresholdMs });
  const open = (): never => {
    throw new Error('nothing is opened before it is started');
  };
  return inductionBackend({ ...resolved, ...options }, open, traits).guarantees;
}

function refusal(...args: Parameters<typeof guaranteesOf>): string {
  try {
    guaranteesOf(...args);
  } catch (error) {
    if (error instanceof LeadershipError && error.code === 'invalid-options') return error.message;
    throw error;
  }
  return 'nothing was refused';
}

describe('the guarantees of induction', () => {
  it('are continuous by default: overlapping terms with unordered tokens (I4)', () => {
    expect(guaranteesOf()).toEqual({
      exclusive: false,
      tokens: 'none',
      handover: 'overlapping',
      assumes: ['drift', 'session', 'no-suspend'],
      overlapMsMax: 10_000,
      failoverMsMax: 6000 + 2000 + 1000,
    });
  });

  it('include the clock error if the beats of other members count (I2, I4)', () => {
    expect(guaranteesOf({ beats: 'all' })).toMatchObject({
      overlapMsMax: 11_000,
      assumes: ['drift', 'skew', 'session', 'no-suspend'],
    });
    expect(guaranteesOf({ beats: 'all', clockErrorMsMax: 250 })).toMatchObject({
      overlapMsMax: 10_250,
    });
  });

  it('do not bound the overlap if decisions are not numbered (I1)', () => {
    expect(guaranteesOf({}, { ...broker, numbered: false })).toMatchObject({
      overlapMsMax: 'unbounded',
    });
  });

  it('include the beat interval of several groups and the delay of readers (I3)', () => {
    expect(
      guaranteesOf({ beatMs: 500, groupsOnTopic: 4 }, { ...broker, deliveryDelayMs: 30 }),
    ).toMatchObject({
      failoverMsMax: 8000 + 2000 + 30,
    });
    expect(guaranteesOf({ groupsOnTopic: 10 })).toMatchObject({ failoverMsMax: 8000 + 2500 });
  });

  it('are exclusive on request, at the cost of another T (I5)', () => {
    expect(guaranteesOf({ promise: 'exclusive', thresholdMs: 5000 })).toMatchObject({
      exclusive: true,
      tokens: 'none',
      overlapMsMax: 0,
      failoverMsMax: 8000 + 500 + 5005,
    });
  });
});

describe('inconsistent settings are refused before anything is opened', () => {
  it.each<readonly [string, Parameters<typeof guaranteesOf>]>([
    ['thresholdMs 6000 must exceed the session timeout 6000', [{ thresholdMs: 6000 }]],
    ['thresholdMs 10000 must exceed 3 × beatMs 4000', [{ beatMs: 4000 }]],
    [
      'thresholdMs 10000 must exceed 3 × beatMs 1000 × groupsOnTopic 5',
      [{ beatMs: 1000, groupsOnTopic: 5 }],
    ],
    ['beatMs 0 must be a number of milliseconds greater than 0', [{ beatMs: 0 }]],
    ['beatMs "1s" must be a number', [{ beatMs: '1s' as never }]],
    ['groupsOnTopic 0 must be a whole number from 1 up', [{ groupsOnTopic: 0 }]],
    ['groupsOnTopic 1.5 must be a whole number', [{ groupsOnTopic: 1.5 }]],
    ['clockErrorMsMax -1 must be a number of milliseconds from 0 up', [{ clockErrorMsMax: -1 }]],
    ['beats "some" must be "all" or "owner"', [{ beats: 'some' as never }]],
    ['promise "both" must be "continuous" or "exclusive"', [{ promise: 'both' as never }]],
    [
      'beats "all" needs timestamps of the broker',
      [{ beats: 'all' }, { ...broker, stamps: 'none' }],
    ],
    [
      'promise "exclusive" needs beats "owner"',
      [{ promise: 'exclusive', thresholdMs: 5000, beats: 'all' }],
    ],
    [
      'thresholdMs 6000 must be less than the session timeout 6000',
      [{ promise: 'exclusive', thresholdMs: 6000 }],
    ],
    [
      'thresholdMs 5800 + clockErrorMsMax 200 must be less than the session timeout 6000',
      [{ promise: 'exclusive', thresholdMs: 5800, clockErrorMsMax: 200 }],
    ],
  ])('%s', (sentence, args) => {
    expect(refusal(...args)).toContain(sentence);
  });
});
