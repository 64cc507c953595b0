import { describe } from 'vitest';
import { othersCaught } from '../caught.ts';

describe.each(['nerio-drift', 'nerio-skew'] as const)('the simulation of %s', (protocol) =>
  othersCaught(protocol),
);
