// Conformance check that `health` reports how close a leader is to losing its lease, with the same
// names on every backend.
import { assert } from '../assert.ts';
import type { Check } from '../check.ts';
import { defineCheck } from '../define-check.ts';

/** The measurements that every backend provides. */
const names = ['renewalMs', 'leaseMarginMs'] as const;

/** The source measures renewals, whatever the backend. */
export const renewalsAreMeasured: Check = defineCheck({
  id: 'renewals-are-measured',
  title:
    'While a member renews its lease, `health().measured` contains `renewalMs` and `leaseMarginMs`, from 0 to T; a member that has never led has neither',
  async run(context) {
    const leader = context.open('a');
    await context.leader([leader]);
    const observer = context.open('observer', { campaign: false });
    await context.settled('the observer is ready', observer.ready());
    const measured = await context.until('a renewal is measured', () => {
      const { measured } = leader.health();
      return names.every((name) => measured[name] !== undefined) && measured;
    });
    for (const name of names) {
      const value = measured[name] ?? Number.NaN;
      assert(value >= 0 && value <= context.thresholdMs, () => `${name} is ${value}`);
    }
    const unexpected = names.filter((name) => observer.health().measured[name] !== undefined);
    assert(unexpected.length === 0, () => `an observer has measured ${unexpected.join(', ')}`);
  },
});
