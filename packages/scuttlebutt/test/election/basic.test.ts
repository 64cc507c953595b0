import { describe, expect, test } from 'vitest';
import { World } from '../support/world.ts';

describe('an election', () => {
  test.each([1, 3, 5])('%i voters elect one leader after their silence', (voters) => {
    const world = new World({ seed: 1, nodes: voters + 2, voters });
    world.startAll();
    expect(world.run(9_900, () => world.leader() !== undefined)).toBe(false);
    expect(world.run(3000, () => world.leader() !== undefined)).toBe(true);
    world.run(120_000);
    expect(world.leader()).toBeDefined();
    expect(world.reigns).toHaveLength(1);
    expect(world.violations).toEqual([]);
  });
});
