// The cost of a large group. `docs/evidence/gossip.md` has the printed figures.
import { describe, expect, test } from 'vitest';
import { roundsToReachAll } from '../../src/protocol/durations.ts';
import { converge } from '../support/convergence.ts';

describe('the simulation of a large group (S1)', () => {
  test.each([10, 100, 300])('a change reaches all of %i members in time', (members) => {
    const { rounds, bytes, messages, cpuMs } = converge({ members, loss: 0.01, writes: 100 });
    const [p50 = 0, p99 = 0] = [rounds[49], rounds[98]];
    console.info(
      `${members} members: all know a change after ${p50.toFixed(1)} rounds (p50), ${p99.toFixed(1)} (p99); ` +
        `${bytes.toFixed(0)} bytes, ${messages.toFixed(1)} messages and ${cpuMs.toFixed(2)} ms of CPU per member and second`,
    );
    expect(p99).toBeLessThan(roundsToReachAll(members));
  });
});
