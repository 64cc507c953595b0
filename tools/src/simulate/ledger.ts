import { mutants, scenarioNamed, scenarios, tour, usualSize } from '@leadership/testkit/simulation';
import type { Protocol } from './protocol.ts';

/** Simulates the ledger lease. */
export const ledger: Protocol = {
  name: 'ledger',
  usualSize,
  mutants,
  scenarios: scenarios.map(({ name }) => name),
  tour({ mutant: name, scenario, ...journey }) {
    const mutant = mutants.find((one) => one.name === name);
    return tour({ ...journey, ...(mutant && { mutant }), ...(scenario !== undefined && { scenario: scenarioNamed(scenario) }) });
  },
};
