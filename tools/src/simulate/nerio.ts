import { mutantsOf } from './nerio/mutants.ts';
import { scenarios } from './nerio/scenarios.ts';
import { usualSize } from './nerio/sized.ts';
import { tour } from './nerio/tour.ts';
import type { Protocol } from './protocol.ts';

/** Nerio where clocks drift. */
export const nerioDrift: Protocol = {
  name: 'nerio-drift',
  usualSize,
  mutants: mutantsOf('drift'),
  scenarios: scenarios.drift.map(({ name }) => name),
  tour: (journey) => tour('drift', journey),
};

/** Nerio where clocks are synchronised. */
export const nerioSkew: Protocol = {
  name: 'nerio-skew',
  usualSize,
  mutants: mutantsOf('skew'),
  scenarios: scenarios.skew.map(({ name }) => name),
  tour: (journey) => tour('skew', journey),
};
