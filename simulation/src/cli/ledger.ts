import { mutants } from '../ledger/mutants.ts';
import { scenarioNamed, scenarios } from '../ledger/scenarios.ts';
import { usualSize } from '../ledger/sized.ts';
import { tour } from '../ledger/tour.ts';
import type { Protocol } from './protocol.ts';

/** Simulates the ledger lease. */
export const ledger: Protocol = {
  name: 'ledger',
  usualSize,
  mutants,
  scenarios: scenarios.map(({ name }) => name),
  tour({ mutant: name, scenario, ...journey }) {
    const mutant = mutants.find((one) => one.name === name);
    return tour({
      ...journey,
      ...(mutant && { mutant }),
      ...(scenario !== undefined && { scenario: scenarioNamed(scenario) }),
    });
  },
};
