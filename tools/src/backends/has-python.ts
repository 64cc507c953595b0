// Whether Python is here, for tests whose processes do what Node cannot: end the main thread alone, or
// adopt orphans.
import { spawnSync } from 'node:child_process';
import { isOffered } from './is-offered.ts';

/**
 * Returns whether tests can run Python 3 here. If not, one line on stderr states what is missing; if
 * `REQUIRE_BACKENDS` contains `python`, throws instead.
 */
export function hasPython(): boolean {
  const isHere = spawnSync('python3', ['-c', 'import ctypes, threading']).status === 0;
  return isOffered('python', isHere ? undefined : 'install python3');
}
