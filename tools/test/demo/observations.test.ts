import { describe, expect, it } from 'vitest';
import type { Observation } from '../../src/demo/member-message.ts';
import { Observations, type TermRecord, violations } from '../../src/demo/observations.ts';

const observation = (atNs: bigint, token?: bigint): Observation => ({
  kind: 'observation',
  atNs,
  state: token === undefined ? 'waiting' : 'leading',
  ...(token !== undefined && { token }),
  remainingMs: 0,
  stallMs: 0,
});

function terms(
  ...samples: readonly (readonly [member: string, atNs: bigint, token?: bigint])[]
): readonly TermRecord[] {
  const observations = new Observations();
  for (const [member, atNs, token] of samples) observations.add(member, observation(atNs, token));
  return observations.terms;
}

describe('the observations of the demo', () => {
  it('fold a term into one record, from its first observation to its last', () => {
    expect(terms(['alice', 1n, 7n], ['alice', 5n, 7n], ['alice', 9n])).toEqual([
      { member: 'alice', token: 7n, fromNs: 1n, toNs: 5n },
    ]);
  });

  it('find no violation in terms that follow each other', () => {
    expect(
      violations(terms(['alice', 1n, 7n], ['alice', 5n, 7n], ['bob', 6n, 8n], ['alice', 9n, 9n])),
    ).toEqual([]);
  });

  it('find two terms that overlap, in whatever order the messages arrive', () => {
    const [first, ...more] = violations(
      terms(['bob', 4n, 8n], ['bob', 9n, 8n], ['alice', 1n, 7n], ['alice', 5n, 7n]),
    );
    expect(first).toContain('alice in term 7 and bob in term 8 led at the same time');
    expect(more).toEqual([]);
  });

  it('find a short term within a long one', () => {
    expect(violations(terms(['alice', 1n, 7n], ['alice', 9n, 7n], ['bob', 3n, 8n]))).toHaveLength(
      1,
    );
  });

  it('find a later term whose token is not greater (T1)', () => {
    expect(violations(terms(['alice', 1n, 7n], ['bob', 2n, 7n]))).toEqual([
      'alice in term 7 and bob in term 7: the later token is not greater',
    ]);
  });
});
