import { rows } from '../../src/rows/protocol.ts';
import { keepsItsRules, minute } from '../worlds.ts';
import { lookingTwice } from './looking-twice.ts';

keepsItsRules(
  'a lease by session has one leader at a time and growing tokens in half an hour of %s',
  rows,
  rows.judgedAfterMs,
);

keepsItsRules(
  'a lease by session misses nothing that a second look would find, in ten minutes of %s',
  lookingTwice,
  () => 10 * minute,
);
