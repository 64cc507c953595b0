import { describe } from 'vitest';
import { shell } from '../../src/shell/protocol.ts';
import { keepsItsRules, minute, repeatsItsHistories } from '../worlds.ts';

/** One for each way to read a store. The long tests run all scenarios, for longer. */
const some = ['register', 'poll', 'log', 'guarded'];

describe('whole sources in the simulated world', () => {
  keepsItsRules(
    'lead one at a time, keep the barrier, settle and close in two and a half minutes of %s',
    { ...shell, scenarios: shell.scenarios.filter(({ name }) => some.includes(name)) },
    () => 2.5 * minute,
  );

  repeatsItsHistories(shell, 'register', minute);
});
