// The machine of the ledger lease with a check of every step against the text of the rules, for
// members that run the engine: in tests, and in the processes of a soak.
import * as machine from '@leadership/core/internal/ledger';
import { Knowledge } from './knowledge.ts';
import { textPaces } from './paces.ts';
import { type Checked, nothingChecked, relate } from './relation.ts';

/** Numbers of waiting, which the text leaves to the store or to the members. */
const free: readonly (keyof machine.LedgerRules)[] = ['coldStartMs', 'emptyMs', 'firstClaimMs'];

/** Returns whether the rules are the protocol's. Tests of wrong rules are not checked. */
function isProtocol(rules: machine.LedgerRules): boolean {
  const names = Object.keys(machine.ledgerRules) as (keyof machine.LedgerRules)[];
  return names.every((name) => free.includes(name) || rules[name] === machine.ledgerRules[name]);
}

/** Receives each step: the number of checks so far, and the fault of a step that breaks a rule. */
type Observer = (checked: Checked, refuted: readonly string[]) => void;

/** Returns a `step` that checks itself, for all partitions of this process. */
export function checkedStep(observe: Observer): typeof machine.step {
  const checked = nothingChecked();
  const knownBy = new WeakMap<machine.PartitionState, Knowledge>();
  return (rules, before, input, moment) => {
    const made = machine.step(rules, before, input, moment);
    if (!isProtocol(rules)) return made;
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
