// The machine of the ledger lease with a check of every step against the text of the rules. The
// engine gets it in place of the machine, in tests that run its sources (vitest.config.ts).
import * as machine from '@leadership/core/internal/ledger';
import { Knowledge } from '../../src/relation/knowledge.ts';
import { textPaces } from '../../src/relation/paces.ts';
import { nothingChecked, relate } from '../../src/relation/relation.ts';
import { refuted } from './refuted.ts';

const checked = nothingChecked();
const knownBy = new WeakMap<machine.PartitionState, Knowledge>();

/** Numbers of waiting, which the text leaves to the store or to the members. */
const free: readonly (keyof machine.LedgerRules)[] = ['coldStartMs', 'emptyMs', 'firstClaimMs'];

/** Returns whether the rules are the protocol's. Tests of wrong rules are not checked. */
function isProtocol(rules: machine.LedgerRules): boolean {
  const names = Object.keys(machine.ledgerRules) as (keyof machine.LedgerRules)[];
  return names.every((name) => free.includes(name) || rules[name] === machine.ledgerRules[name]);
}

export const newPartition: typeof machine.newPartition = machine.newPartition;

export const step: typeof machine.step = (rules, before, input, moment) => {
  const made = machine.step(rules, before, input, moment);
  if (!isProtocol(rules)) return made;
  const { self, partition } = before;
  const paces = { ...textPaces, emptyMs: rules.emptyMs };
  const known = knownBy.get(before) ?? new Knowledge(self, partition, moment.now, paces);
  knownBy.set(made.state, known);
  for (const guard of relate(known, { input, ...moment, ...made }, checked))
    refuted.push(`${self.member}, partition ${partition}: ${guard}`);
  return made;
};
