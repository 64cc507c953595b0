import { inductionMutants, inductionScenarioNamed, inductionScenarios, tourInduction, usualSize } from '@leadership/testkit/simulation';
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
