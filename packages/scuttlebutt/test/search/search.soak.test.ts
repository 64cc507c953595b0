// These two take two minutes of processor time, several times as much as the long test beside them.
import { longerSearches } from './longer-searches.ts';

longerSearches([
  ['a resignation', { ticks: 6, suspicions: 1, resignations: 1, restarts: 0 }],
  ['a restart', { ticks: 6, suspicions: 1, resignations: 0, restarts: 1 }],
]);
