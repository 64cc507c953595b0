import { describe } from 'vitest';
import { simulations } from '../src/cli/simulations.ts';
import { caughtFromTwoSeeds } from './caught.ts';

describe.each(simulations)('the simulation of $name', (simulation) =>
  caughtFromTwoSeeds(simulation),
);
