import { constants } from 'node:os';

/** `status`: a member leads every partition. `watch`, `doctor`: everything is well. */
export const succeeded = 0;
/** `status`: a partition has no leader. `doctor`: a check failed. */
export const found = 1;
/** The command line is wrong, or the backend does not answer or refuses the command. */
export const unusable = 2;

/** Returns the exit code of a program that this signal ended, as shells compute it. */
export function exitCodeOf(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal];
}
