import { describe } from 'vitest';
import { shell } from '../../src/shell/protocol.ts';
import { keepsItsRules, minute, repeatsItsHistories } from '../worlds.ts';

describe('whole sources in the simulated world', () => {
  keepsItsRules(
    'lead one at a time, keep the barrier, settle and close in two and a half minutes of %s',
    shell,
    () => 2.5 * minute,
  );

  repeatsItsHistories(shell, 'register', minute);
});
