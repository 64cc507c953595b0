// The exit codes of all commands.
import { constants } from 'node:os';

/** `status`: a member leads every partition. `watch`, `doctor`: everything is well. `resign`: another leads. */
export const succeeded = 0;
/** `status`: a partition has no leader. `doctor`: a check failed. `resign`: no other leads. */
export const found = 1;
/** The command line is wrong, or the backend does not answer or refuses the command. */
export const unusable = 2;
/** `status`, `doctor`, `resign`: no member has ever opened a group with that name there. */
export const unknownGroup = 3;

// The exit codes of `run` and `guard` themselves are those of timeout(1), env(1) and `docker run`,
// so that they seldom equal a code of the command.

/** `run`: the leadership was not acquired within `--wait`. */
export const notAcquired = 124;
/** `run`, `guard`: it failed itself: wrong options, a backend that refuses it. */
export const wrapperFailed = 125;
/** The command exists, but cannot be executed. */
const notExecutable = 126;
/** The command does not exist. */
const notFound = 127;

/** Returns the exit code for a command that could not be started. */
export function startFailed(code: string | undefined): number {
  return code === 'ENOENT' ? notFound : notExecutable;
}

/** Returns the exit code that passes on how a command ended. */
export function passedOn(code: number | null, signal: NodeJS.Signals | null): number {
  return signal === null ? (code ?? wrapperFailed) : exitCodeOf(signal);
}

/** Returns the exit code of a program that this signal ended, as shells compute it. */
export function exitCodeOf(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal];
}
