import type { Leadership, Role, Term } from '@leadership/core';
import { describe, expect, test } from 'vitest';
import type { MemberEvent } from '../../src/faults.ts';
import { Belief } from '../../src/member/belief.ts';

/** A role that says what the test has it say, and what is noted of it. */
function followed() {
  const says = { token: undefined as bigint | undefined, remainingMs: 0 };
  const notes: Partial<MemberEvent>[] = [];
  const role = {
    partition: 3,
    isLeading: () => says.remainingMs > 0,
    remainingMs: () => says.remainingMs,
    term: () => (says.remainingMs > 0 && says.token !== undefined ? ({ token: says.token } as Term) : undefined),
  } as unknown as Role;
  const belief = new Belief(role, (note) => notes.push(note));
  return {
    belief,
    notes,
    leads(token: bigint, remainingMs: number) {
      Object.assign(says, { token, remainingMs });
    },
    hear: (state: Leadership['state'], token = 0n, reason = 'expired') =>
      belief.heard({ state, term: { token } as Term, reason } as unknown as Leadership),
  };
}

describe('what is noted of a belief', () => {
  test('is its beginning, each prolongation and its end, with the last instant at which it was seen', () => {
    const { belief, notes, leads, hear } = followed();
    leads(7n, 100);
    hear('leading', 7n);
    belief.look();
    leads(7n, 200);
    belief.look();
    leads(7n, 0);
    hear('fenced', 7n);
    expect(notes).toEqual([
      { kind: 'acquired', partition: 3, token: 7n, atNs: expect.any(BigInt), untilNs: expect.any(BigInt) },
      { kind: 'prolonged', partition: 3, token: 7n, atNs: expect.any(BigInt), untilNs: expect.any(BigInt) },
      { kind: 'fenced', partition: 3, token: 7n, ledNs: notes[1]?.atNs, detail: 'expired' },
    ]);
  });

  test('understates the deadline and never overstates it', () => {
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

  test('is a beginning without a deadline where the term was over before anyone could ask', () => {
    const { notes, hear } = followed();
    hear('leading', 7n);
    hear('fenced', 7n);
    expect(notes).toEqual([
      { kind: 'acquired', partition: 3, token: 7n },
      { kind: 'fenced', partition: 3, token: 7n, detail: 'expired' },
    ]);
  });

  test('is a second beginning where a term leads again that had lapsed unsaid, or had ended (T3)', () => {
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

  test('is what was asked, also where the role says nothing of it', () => {
    const { belief, notes, leads } = followed();
    leads(9n, 100);
    belief.look();
    expect(notes).toMatchObject([{ kind: 'acquired', token: 9n }]);
  });

  test('is the end of an orderly term, once', () => {
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
