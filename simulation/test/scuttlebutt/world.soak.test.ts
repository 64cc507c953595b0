import { describe } from 'vitest';
import { largeGroupKeepsItsRules } from './large-group.ts';

describe.each([
  { nodes: 50, thresholds: 15, faultsMin: 40 },
  { nodes: 100, thresholds: 10, faultsMin: 50 },
])('a group of $nodes members', largeGroupKeepsItsRules);
