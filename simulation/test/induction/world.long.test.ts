import { induction } from '../../src/induction/protocol.ts';
import { keepsItsRules, minute } from '../worlds.ts';

keepsItsRules('induction keeps its guarantees for ten minutes of %s', induction, () => 10 * minute);
