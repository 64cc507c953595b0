import { describe } from 'vitest';
import { scuttlebutt } from '../../src/scuttlebutt/protocol.ts';
import { keepsItsRules, minute } from '../worlds.ts';
import { largeGroupKeepsItsRules } from './large-group.ts';

keepsItsRules(
  'has at most one leader in %s (S1 to S5, T1)',
  scuttlebutt,
  // Five minutes where counters have limits, which are judged only then. The soak has all for as long.
  (scenario) =>
    Object.keys(scenario.bounds).length > 0 ? scuttlebutt.judgedAfterMs(scenario) : 1.5 * minute,
);

describe('a group of 20 members', () =>
  largeGroupKeepsItsRules({ nodes: 20, thresholds: 60, faultsMin: 60 }));
