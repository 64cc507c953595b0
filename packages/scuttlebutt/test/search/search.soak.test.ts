// These take more than two minutes of processor time.
import { longerSearches } from './longer-searches.ts';

longerSearches([
  ['two changes of mind', { ticks: 8, suspicions: 2, resignations: 0, restarts: 0 }],
  ['a resignation', { ticks: 6, suspicions: 1, resignations: 1, restarts: 0 }],
  ['a restart', { ticks: 6, suspicions: 1, resignations: 0, restarts: 1 }],
]);
