import { describe, expect, test } from 'vitest';
import { roundsToReachAll } from '../../src/protocol/durations.ts';
import { converge } from '../support/convergence.ts';

const members = 100;

describe('convergence (S1)', () => {
  test.each([0, 0.1])('a change reaches all of 100 members in time, with loss %d', (loss) => {
    const { rounds } = converge({ members, loss, writes: 200 });
    expect(rounds[197]).toBeLessThan(roundsToReachAll(members));
  });
});
