import { rows } from '../../src/rows/protocol.ts';
import { keepsItsRules } from '../worlds.ts';

keepsItsRules(
  'a lease by session has one leader at a time and growing tokens in half an hour of %s',
  rows,
  rows.judgedAfterMs,
);
