import { describe, expect, test } from 'vitest';
import { changeMembers } from './live-change.ts';

const changes = 40;

describe.each(['drift', 'skew'] as const)(
  'three members become five, and three again, under load, where clocks are held to %s',
  (clocks) => {
    test('one leads at a time, and nobody for a fifth of a lease at most (N13)', () => {
      const { broken, leaderlessMs, edicts } = changeMembers(clocks, 'calm', changes);
      expect(broken).toEqual({});
      expect(leaderlessMs).toHaveLength(changes);
      expect(Math.max(...leaderlessMs)).toBeLessThan(200);
      expect(edicts).toBeGreaterThan(1000);
    });

    test('one leads at a time, whatever else happens meanwhile (N13)', () => {
      const { broken, leaderlessMs } = changeMembers(clocks, 'rainy', changes);
      expect(broken).toEqual({});
      expect(leaderlessMs).toHaveLength(changes);
    });

    test('one leads on in an epoch that is over, where the next begins before a quorum is wedged', () => {
      // Nor does it look first whether a quorum could be: or it would have to lose sight of it right after.
      const hasty = { terminates: (_quorums: unknown, wedged: number) => wedged !== 0, canEnd: () => true };
      // Where it does damage the group may never elect again: so it is hunted in short worlds, each from the next seed.
      const isTold = (seed: number): boolean => (changeMembers(clocks, 'rainy', 8, { nerio: hasty }, seed).broken['N13'] ?? 0) > 0;
      expect(Array.from({ length: 40 }, (_, seed) => seed + 1).some(isTold)).toBe(true);
    });
  },
);
