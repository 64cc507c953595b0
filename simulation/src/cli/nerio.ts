import { mutantsOf } from '../nerio/mutants.ts';
import { scenarios } from '../nerio/scenarios.ts';
import { usualSize } from '../nerio/sized.ts';
import { tour } from '../nerio/tour.ts';
import type { Protocol } from './protocol.ts';

/** Simulates Nerio with clocks of bounded drift. */
export const nerioDrift: Protocol = {
  name: 'nerio-drift',
  usualSize,
  mutants: mutantsOf('drift'),
  scenarios: scenarios.drift.map(({ name }) => name),
  tour: (journey) => tour('drift', journey),
};

/** Simulates Nerio with synchronised clocks. */
export const nerioSkew: Protocol = {
  name: 'nerio-skew',
  usualSize,
  mutants: mutantsOf('skew'),
  scenarios: scenarios.skew.map(({ name }) => name),
  tour: (journey) => tour('skew', journey),
};
