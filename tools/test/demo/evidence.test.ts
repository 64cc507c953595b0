import { describe, expect, it } from 'vitest';
import { contradictions, Evidence, type Reign } from '../../src/demo/evidence.ts';
import type { Look } from '../../src/demo/note.ts';

const look = (atNs: bigint, token?: bigint): Look => ({
  kind: 'look',
  atNs,
  state: token === undefined ? 'waiting' : 'leading',
  ...(token !== undefined && { token }),
  remainingMs: 0,
  stallMs: 0,
});

function reigns(...looks: readonly (readonly [member: string, atNs: bigint, token?: bigint])[]): readonly Reign[] {
  const evidence = new Evidence();
  for (const [member, atNs, token] of looks) evidence.add(member, look(atNs, token));
  return evidence.reigns;
}

describe('the evidence of the demo', () => {
  it('makes one reign of a term, from its first look to its last', () => {
    expect(reigns(['alice', 1n, 7n], ['alice', 5n, 7n], ['alice', 9n])).toEqual([{ member: 'alice', token: 7n, fromNs: 1n, toNs: 5n }]);
  });

  it('finds nothing wrong with reigns that follow one another', () => {
    expect(contradictions(reigns(['alice', 1n, 7n], ['alice', 5n, 7n], ['bob', 6n, 8n], ['alice', 9n, 9n]))).toEqual([]);
  });

  it('finds two that led at once, whoever told it first', () => {
    const [first, ...more] = contradictions(reigns(['bob', 4n, 8n], ['bob', 9n, 8n], ['alice', 1n, 7n], ['alice', 5n, 7n]));
    expect(first).toContain('alice in term 7 and bob in term 8 led at once');
    expect(more).toEqual([]);
  });

  it('finds a short reign within a long one', () => {
    expect(contradictions(reigns(['alice', 1n, 7n], ['alice', 9n, 7n], ['bob', 3n, 8n]))).toHaveLength(1);
  });

  it('finds a later term whose token is not the greater one (T1)', () => {
    expect(contradictions(reigns(['alice', 1n, 7n], ['bob', 2n, 7n]))).toEqual([
      'alice in term 7 and bob in term 7: the later token is not the greater one',
    ]);
  });
});
