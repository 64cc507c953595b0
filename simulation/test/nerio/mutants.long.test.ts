import { describe } from 'vitest';
import { caughtFromTwoSeeds } from '../caught.ts';

describe.each(['nerio-drift', 'nerio-skew'] as const)('the simulation of %s', (protocol) =>
  caughtFromTwoSeeds(protocol),
);
