import { inductionMutants, tourInduction, usualSize } from '@leadership/testkit/simulation';
import type { Protocol } from './protocol.ts';

/** NELI: leadership induced from what a broker assigns. */
export const induction: Protocol = {
  name: 'induction',
  usualSize,
  mutants: inductionMutants,
  tour({ mutant: name, ...journey }) {
    const mutant = inductionMutants.find((one) => one.name === name);
    return tourInduction({ ...journey, ...(mutant && { mutant }) });
  },
};
