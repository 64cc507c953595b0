import { rows } from '../../src/rows/protocol.ts';
import { keepsItsRules, minute } from '../worlds.ts';

keepsItsRules(
  'a lease by session has one leader at a time and growing tokens in half an hour of %s',
  rows,
  rows.judgedAfterMs,
);

keepsItsRules(
  'a lease by session misses nothing that a second look would find in ten minutes of %s',
  { ...rows, scenarios: rows.scenarios.map((scenario) => ({ ...scenario, looksTwice: true })) },
  () => 10 * minute,
);
