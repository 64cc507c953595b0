import { shell } from '../../src/shell/protocol.ts';
import { keepsItsRules, minute } from '../worlds.ts';

keepsItsRules(
  'whole sources lead one at a time, keep the barrier, settle and close in ten minutes of %s',
  shell,
  () => 10 * minute,
  2,
);
