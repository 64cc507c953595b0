// The machine of the session lease with a check of every step against the text of the rules, for
// members that run it: in tests, and in the processes of a soak.
import * as machine from '@leadership/core/internal/sessions';
import { guards } from './actions.ts';
import { areThose, type Observer } from './guards.ts';
import { Knowledge } from './knowledge.ts';
import { relate } from './relation.ts';

/** Numbers of waiting, which the text leaves to a store that is new with its group. */
const free: readonly (keyof machine.LeaseRules)[] = ['emptyMs', 'firstClaimMs'];

/** Returns a `step` that checks itself, for all members of this process. */
export function checkedStep(observe: Observer): typeof machine.step {
  const checked = guards.nothingChecked();
  const knownBy = new WeakMap<machine.MemberState, Knowledge>();
  return (state, input, moment) => {
    const { config, rules } = state;
    const made = machine.step(state, input, moment);
    // Tests of wrong rules are not checked.
    if (!areThose(rules, machine.leaseRules, free)) return made;
    const emptyMs = rules.emptyMs(config.thresholdMsMax);
    const known = knownBy.get(state) ?? new Knowledge(config, emptyMs);
    knownBy.set(state, known);
    const refuted = relate(known, { input, ...moment, ...made }, checked);
    observe(
      checked,
      refuted.map((guard) => `${config.member}: ${guard}`),
    );
    return made;
  };
}
