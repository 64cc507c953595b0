import { describe } from 'vitest';
import { simulations } from '../src/cli/simulations.ts';
import { caughtFromTwoSeeds } from './caught.ts';

describe.each(simulations.map(({ name }) => name))('the simulation of %s', (protocol) =>
  caughtFromTwoSeeds(protocol),
);
