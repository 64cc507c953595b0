import { describe } from 'vitest';
import { scuttlebutt } from '../../src/scuttlebutt/protocol.ts';
import { keepsItsRules } from '../worlds.ts';
import { largeGroupKeepsItsRules } from './large-group.ts';

keepsItsRules(
  'has at most one leader in five minutes of %s (S1 to S5, T1)',
  scuttlebutt,
  scuttlebutt.judgedAfterMs,
);

describe.each([
  { nodes: 50, thresholds: 15, faultsMin: 40 },
  { nodes: 100, thresholds: 10, faultsMin: 50 },
])('a group of $nodes members', largeGroupKeepsItsRules);
