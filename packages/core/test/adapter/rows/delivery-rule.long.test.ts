// Notifications that carry rows must not make a member believe anything, whatever they say: they
// may be old, repeated, or of a change that the store refused.
import { describe, expect, it } from 'vitest';
import { type DeliveryRule, deliveryRule } from '../../../src/adapter/rows/delivered-rows.ts';
import { succeeds } from '../../../src/adapter/rows/register-row.ts';
import { type DeliveringRun, deliveringRun } from '../../support/delivering-group.ts';

const seeds = [0, 2, 3, 5];

async function runsUnder(rule: DeliveryRule): Promise<readonly DeliveringRun[]> {
  const runs: DeliveringRun[] = [];
  for (const seed of seeds) runs.push(await deliveringRun(seed, rule));
  return runs;
}

/** Accepts every newer record, also a release that names a successor. */
const believing: DeliveryRule = (row, known) => row.record !== null && succeeds(row, known);

describe('rows that notifications deliver', () => {
  it('begin no term that the store does not know, and elect no second leader', async () => {
    for (const run of await runsUnder(deliveryRule)) {
      expect(run).toMatchObject({ unfounded: 0, doubleLeaders: 0 });
      expect(run.terms).toBeGreaterThan(20);
    }
  });

  it('begin such terms on several seeds if a release to a successor is believed', async () => {
    const runs = await runsUnder(believing);
    expect(runs.filter(({ unfounded }) => unfounded > 0).length).toBeGreaterThan(1);
  });
});
