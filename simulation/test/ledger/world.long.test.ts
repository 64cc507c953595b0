import { ledger } from '../../src/ledger/protocol.ts';
import { keepsItsRules, minute } from '../worlds.ts';

// The minimum length for which counters are judged.
keepsItsRules(
  'the ledger lease has one leader at a time and growing tokens in an hour of %s',
  ledger,
  () => 60 * minute,
);
