import { inductionMutants } from '../induction/mutants.ts';
import { inductionScenarioNamed, inductionScenarios } from '../induction/scenarios.ts';
import { tourInduction } from '../induction/tour.ts';
import { usualSize } from '../ledger/sized.ts';
import type { Protocol } from './protocol.ts';

/** Simulates NELI: leadership induced from a broker's assignment. */
export const induction: Protocol = {
  name: 'induction',
  usualSize,
  mutants: inductionMutants,
  scenarios: inductionScenarios.map(({ name }) => name),
  tour({ mutant: name, scenario, ...journey }) {
    const mutant = inductionMutants.find((one) => one.name === name);
    const alone = scenario !== undefined && { scenario: inductionScenarioNamed(scenario) };
    return tourInduction({ ...journey, ...(mutant && { mutant }), ...alone });
  },
};
