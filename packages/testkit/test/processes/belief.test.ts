import type { Leadership, Role, Term } from '@leadership/core';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { MemberEvent } from '../../src/faults.ts';
import { Belief } from '../../src/processes/belief.ts';

// A clock that advances by a microsecond per reading. The roles below report a constant remaining
// time, so that a stall of the real clock would prolong their terms.
beforeEach(() => {
  let nowNs = 0n;
  vi.spyOn(process.hrtime, 'bigint').mockImplementation(() => {
    nowNs += 1000n;
    return nowNs;
  });
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** Returns a role that the test controls, and the notes about it. */
function followed() {
  const says = { token: undefined as bigint | undefined, remainingMs: 0 };
  const notes: Partial<MemberEvent>[] = [];
  const role = {
    partition: 3,
    isLeading: () => says.remainingMs > 0,
    remainingMs: () => says.remainingMs,
    term: () =>
      says.remainingMs > 0 && says.token !== undefined
        ? ({ token: says.token } as Term)
        : undefined,
  } as unknown as Role;
  const belief = new Belief(role, (note) => notes.push(note));
  return {
    belief,
    notes,
    leads(token: bigint, remainingMs: number) {
      Object.assign(says, { token, remainingMs });
    },
    hear: (state: Leadership['state'], token = 0n, reason = 'expired') =>
      belief.received({ state, term: { token } as Term, reason } as unknown as Leadership),
  };
}

describe('the notes about a belief', () => {
  test('contain its beginning, each prolongation and its end, with the last instant at which it was observed', () => {
    const { belief, notes, leads, hear } = followed();
    leads(7n, 100);
    hear('leading', 7n);
    belief.look();
    leads(7n, 200);
    belief.look();
    leads(7n, 0);
    hear('fenced', 7n);
    expect(notes).toEqual([
      {
        kind: 'acquired',
        partition: 3,
        token: 7n,
        atNs: expect.any(BigInt),
        untilNs: expect.any(BigInt),
      },
      {
        kind: 'prolonged',
        partition: 3,
        token: 7n,
        atNs: expect.any(BigInt),
        untilNs: expect.any(BigInt),
      },
      { kind: 'fenced', partition: 3, token: 7n, ledNs: notes[1]?.atNs, detail: 'expired' },
    ]);
  });

  test('understate the deadline and never overstate it', () => {
    const { notes, leads, hear } = followed();
    leads(7n, 100);
    const beforeNs = process.hrtime.bigint();
    hear('leading', 7n);
    const afterNs = process.hrtime.bigint();
    const { atNs = 0n, untilNs = 0n } = notes[0] ?? {};
    expect(atNs).toBeGreaterThanOrEqual(beforeNs);
    expect(untilNs).toBeLessThanOrEqual(afterNs + 100_000_000n);
    expect(untilNs - atNs).toBe(100_000_000n);
  });

  test('contain a beginning without a deadline if the term ended before the first query', () => {
    const { notes, hear } = followed();
    hear('leading', 7n);
    hear('fenced', 7n);
    expect(notes).toEqual([
      { kind: 'acquired', partition: 3, token: 7n },
      { kind: 'fenced', partition: 3, token: 7n, detail: 'expired' },
    ]);
  });

  test('contain a second beginning if a term leads again after an unreported lapse, or after its end (T3)', () => {
    const { belief, notes, leads, hear } = followed();
    leads(7n, 100);
    hear('leading', 7n);
    leads(7n, 0);
    belief.look();
    leads(7n, 100);
    belief.look();
    hear('fenced', 7n);
    belief.look();
    expect(notes.map(({ kind }) => kind)).toEqual(['acquired', 'acquired', 'fenced', 'acquired']);
  });

  test('contain the result of each query, also if the role emits nothing', () => {
    const { belief, notes, leads } = followed();
    leads(9n, 100);
    belief.look();
    expect(notes).toMatchObject([{ kind: 'acquired', token: 9n }]);
  });

  test('contain the end of an orderly term once', () => {
    const { notes, leads, hear } = followed();
    hear('waiting');
    leads(7n, 100);
    hear('leading', 7n);
    hear('revoking', 7n);
    leads(7n, 0);
    hear('waiting');
    hear('waiting');
    expect(notes.map(({ kind }) => kind)).toEqual(['acquired', 'revoked', 'released']);
  });
});
