import { describe, expect, it } from 'vitest';
import { type Period, violations, WorkRecord } from '../../src/demo/work-record.ts';

function periods(
  ...samples: readonly (readonly [member: string, atNs: bigint, token: bigint])[]
): readonly Period[] {
  const work = new WorkRecord();
  for (const [member, atNs, token] of samples)
    work.note({ member, event: { kind: 'worked', atNs, token } });
  return work.periods;
}

describe('the work of the demo', () => {
  it('is one period for each term, from its first line to its last', () => {
    expect(periods(['alice', 1n, 7n], ['alice', 5n, 7n])).toEqual([
      { member: 'alice', token: 7n, fromNs: 1n, toNs: 5n },
    ]);
  });

  it('counts a term that was too short for a line', () => {
    const work = new WorkRecord();
    for (const token of [1n, 2n])
      work.note({ member: 'alice', event: { kind: 'leads', atNs: token, token } });
    work.note({ member: 'alice', event: { kind: 'worked', atNs: 3n, token: 2n } });
    expect([work.terms, work.count, work.periods.length]).toEqual([2, 1, 1]);
  });

  it('finds no violation in periods that follow each other', () => {
    expect(
      violations(periods(['alice', 1n, 7n], ['alice', 5n, 7n], ['bob', 6n, 8n], ['alice', 9n, 9n])),
    ).toEqual([]);
  });

  it('finds two periods that overlap, in whatever order the lines arrive', () => {
    const [first, ...more] = violations(
      periods(['bob', 4n, 8n], ['bob', 9n, 8n], ['alice', 1n, 7n], ['alice', 5n, 7n]),
    );
    expect(first).toContain('alice in term 7 and bob in term 8 led at the same time');
    expect(more).toEqual([]);
  });

  it('finds a short period within a long one', () => {
    expect(violations(periods(['alice', 1n, 7n], ['alice', 9n, 7n], ['bob', 3n, 8n]))).toHaveLength(
      1,
    );
  });

  it('finds a later term whose token is not greater (T1)', () => {
    expect(violations(periods(['alice', 1n, 7n], ['bob', 2n, 7n]))).toEqual([
      'alice in term 7 and bob in term 7: the later token is not greater',
    ]);
  });
});
