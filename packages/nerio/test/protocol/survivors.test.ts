// One test for each mutant that no other test detects. The title names the dropped rule.
import { describe, expect, it } from 'vitest';
import { nothingLearnt } from '../../src/protocol/learning.ts';
import type { Grant } from '../../src/protocol/lease.ts';
import { isWorthKeeping } from '../../src/protocol/memory.ts';
import { epochOf, selfNamed, settled } from '../support/test-members.ts';

describe('these tests detect a machine that', () => {
  it.each<[string, Partial<Grant>]>([
    ['for how long it granted', { until: 1000 }],
    ['whom it granted to', { holder: { member: 'p', incarnation: 'p0' } }],
    [
      'what was given back',
      { released: [{ member: 'p', start: { incarnation: 'p0', at: 1, count: 0 } }] },
    ],
    ['the greatest token', { token: 7n }],
  ])('does not write down %s where nothing else has changed (N4, N5, N16)', (_, change) => {
    const before = settled(selfNamed('v'), epochOf(['v', 'p', 'q']));
    expect(
      isWorthKeeping(before, {
        ...before,
        grants: before.grants.map((grant) => ({ ...grant, ...change })),
      }),
    ).toBe(true);
    expect(
      isWorthKeeping(before, {
        ...before,
        grants: before.grants.map((grant) => ({ ...grant, leaderUntil: 1000 })),
      }),
    ).toBe(false);
  });

  it('does not write down that it has learnt its grants (N4, N16)', () => {
    const after = settled(selfNamed('v'), epochOf(['v', 'p', 'q']));
    expect(isWorthKeeping({ ...after, learning: nothingLearnt(0) }, after)).toBe(true);
    expect(isWorthKeeping(after, after)).toBe(false);
  });
});
