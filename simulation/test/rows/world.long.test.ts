import { rows } from '../../src/rows/protocol.ts';
import { keepsItsRules, minute } from '../worlds.ts';

// The minimum length for which counters are judged.
keepsItsRules(
  'a lease by session has one leader at a time and growing tokens in an hour of %s',
  rows,
  () => 60 * minute,
);

keepsItsRules(
  'a lease by session misses nothing that a second look would find in twenty minutes of %s',
  { ...rows, scenarios: rows.scenarios.map((scenario) => ({ ...scenario, looksTwice: true })) },
  () => 20 * minute,
);
