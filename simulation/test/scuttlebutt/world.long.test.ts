import { describe } from 'vitest';
import { scuttlebutt } from '../../src/scuttlebutt/protocol.ts';
import { keepsItsRules } from '../worlds.ts';
import { largeGroupKeepsItsRules } from './large-group.ts';

keepsItsRules(
  'has at most one leader in %s (S1 to S5, T1)',
  scuttlebutt,
  scuttlebutt.judgedAfterMs,
);

describe('a group of 20 members', () =>
  largeGroupKeepsItsRules({ nodes: 20, thresholds: 60, faultsMin: 60 }));
