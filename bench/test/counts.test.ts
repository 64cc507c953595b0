import { describe, expect, it } from 'vitest';
import { type Counts, differences } from '../src/counts/compare.ts';

const committed: Counts = {
  node: '20',
  costs: { grant: { clockReads: 1, calls: 24, bytes: 468 } },
};

const counted = (change: object, node = '20'): Counts => ({
  node,
  costs: { grant: { clockReads: 1, calls: 24, bytes: 468, ...change } },
});

describe('counted costs', () => {
  it('pass if nothing has changed, or the bytes by less than a hundredth', () => {
    expect(differences(committed, counted({}))).toEqual([]);
    expect(differences(committed, counted({ bytes: 472 }))).toEqual([]);
  });

  it('fail for one more reading of the clock, one call less, and more bytes', () => {
    expect(differences(committed, counted({ clockReads: 2, calls: 23, bytes: 480 }))).toEqual([
      'grant: 2 readings of the clock, committed are 1',
      'grant: 23 calls, committed are 24',
      'grant: 480 bytes, committed are 468',
    ]);
  });

  it('do not compare bytes of another version of Node', () => {
    expect(differences(committed, counted({ bytes: 600 }, '22'))).toEqual([]);
    expect(differences(committed, counted({ calls: 25 }, '22'))).toHaveLength(1);
  });

  it('fail for an operation that is missing on either side', () => {
    expect(differences(committed, { node: '20', costs: {} })).toEqual([
      'grant: it is committed, but is no longer counted',
    ]);
    expect(differences({ node: '20', costs: {} }, counted({}))).toEqual([
      'grant: its cost is not committed',
    ]);
  });
});
