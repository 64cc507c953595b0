import { expect, test } from 'vitest';
import { named, simulate } from '../../src/kernel/protocol.ts';
import { changedRates } from '../../src/kernel/scenario.ts';
import { scuttlebutt } from '../../src/scuttlebutt/protocol.ts';
import { usualSize } from '../../src/scuttlebutt/scenario.ts';

const rainy = named(scuttlebutt.scenarios, 'rainy');
const production = named(scuttlebutt.scenarios, 'production');

/** The kinds of occurrences that harm nothing. */
const harmless: readonly string[] = ['set', 'look'];
/** How much more often than in a long world each member fails in these short ones. */
const times = 2.5;

/** A group with that many members, for that many P, in which at least that many faults occur. */
export interface LargeGroup {
  readonly nodes: number;
  readonly thresholds: number;
  readonly faultsMin: number;
}

/** Registers tests: no rule is broken in a large group. */
export function largeGroupKeepsItsRules({ nodes, thresholds, faultsMin }: LargeGroup): void {
  test.each([rainy, production])(
    'has at most one leader in $name, with many faults (S1 to S5, T1)',
    (scenario) => {
      const sized = scuttlebutt.sized(scenario, { ...usualSize, nodes });
      const often = { ...sized, perMinute: changedRates(sized.perMinute, (rate) => times * rate) };
      const ms = thresholds * sized.leaseMs;
      const { broken, first, leaderlessShare, faults } = simulate(scuttlebutt, often, 1, { ms });
      expect(broken, first).toEqual({});
      expect(leaderlessShare).toBeLessThan(1);
      const count = Object.entries(faults).reduce(
        (sum, [kind, number]) => (harmless.includes(kind) ? sum : sum + number),
        0,
      );
      console.log(
        `${nodes} members, ${scenario.name}: ${count} faults in ${thresholds} P, without a leader ${(100 * leaderlessShare).toFixed(0)} % of the time`,
      );
      expect(count).toBeGreaterThanOrEqual(faultsMin);
    },
  );
}
