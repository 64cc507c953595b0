import { mutants, tour, usualSize } from '@leadership/testkit/simulation';
import type { Protocol } from './protocol.ts';

/** The ledger lease. */
export const ledger: Protocol = {
  name: 'ledger',
  usualSize,
  mutants,
  tour({ mutant: name, ...journey }) {
    const mutant = mutants.find((one) => one.name === name);
    return tour({ ...journey, ...(mutant && { mutant }) });
  },
};
