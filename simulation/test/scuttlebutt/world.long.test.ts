import { describe, expect, test } from 'vitest';
import { named, simulate } from '../../src/kernel/protocol.ts';
import { scuttlebutt } from '../../src/scuttlebutt/protocol.ts';
import { usualSize } from '../../src/scuttlebutt/scenario.ts';

const rainy = named(scuttlebutt.scenarios, 'rainy');
const production = named(scuttlebutt.scenarios, 'production');

test.each(scuttlebutt.scenarios.map(({ name }) => name))(
  'has at most one leader in %s (S1 to S5, T1)',
  (name) => {
    const scenario = named(scuttlebutt.scenarios, name);
    const ms = scuttlebutt.judgedAfterMs(scenario);
    const { broken, first } = simulate(scuttlebutt, scenario, 1, { ms });
    expect(broken, first).toEqual({});
  },
);

describe.each([20, 50, 100])('a group of %i members', (nodes) => {
  test.each([rainy, production])('has at most one leader in $name (S1 to S5, T1)', (scenario) => {
    const sized = scuttlebutt.sized(scenario, { ...usualSize, nodes });
    // Gossip of 100 members costs a second per P.
    const ms = (500 / nodes) * sized.leaseMs;
    const { broken, first, leaderlessShare } = simulate(scuttlebutt, sized, 1, { ms });
    expect(broken, first).toEqual({});
    expect(leaderlessShare).toBeLessThan(1);
  });
});
