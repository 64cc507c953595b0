// The machine of the ledger lease with a check of every step against the text of the rules, for
// members that run the engine: in tests, and in the processes of a soak.
import * as machine from '@leadership/core/internal/ledger';
import { guards as allGuards } from './actions.ts';
import { areThose, type Observer } from './guards.ts';
import { Knowledge } from './knowledge.ts';
import { textPaces } from './paces.ts';
import { relate } from './relation.ts';

/** Numbers of waiting, which the text leaves to the store or to the members. */
const free: readonly (keyof machine.LedgerRules)[] = ['coldStartMs', 'emptyMs', 'firstClaimMs'];

/** Returns a `step` that checks itself, for all partitions of this process. */
export function checkedStep(observe: Observer): typeof machine.step {
  const checked = allGuards.nothingChecked();
  const knownBy = new WeakMap<machine.PartitionState, Knowledge>();
  return (rules, before, input, moment) => {
    const made = machine.step(rules, before, input, moment);
    // Tests of wrong rules are not checked.
    if (!areThose(rules, machine.ledgerRules, free)) return made;
    const { self, partition } = before;
    const paces = { ...textPaces, emptyMs: rules.emptyMs };
    const known = knownBy.get(before) ?? new Knowledge(self, partition, moment.now, paces);
    knownBy.set(made.state, known);
    const guards = relate(known, { input, ...moment, ...made }, checked);
    observe(
      checked,
      guards.map((guard) => `${self.member}, partition ${partition}: ${guard}`),
    );
    return made;
  };
}
