import { longerSearches } from './longer-searches.ts';

longerSearches([
  ['two changes of mind', { ticks: 8, suspicions: 2, resignations: 0, restarts: 0 }],
]);
