// Prints why a command failed, and what to do.
import process from 'node:process';
import { inspect } from 'node:util';
import { LeadershipError } from '@leadership/core';
import { printable } from '@leadership/core/internal';
import { CommanderError } from 'commander';
import { exitCodeOf, succeeded, unusable, wrapperFailed } from './exit-codes.ts';
import { isDebug } from './say.ts';

/** An application sets such options in its code, so its URL alone may not contain them. */
const partitionsHint =
  '. Use the values of the group: by --option partitions=NUMBER or in the URL, and with slots by --slots NUMBER';

/**
 * Reports a failure in one line, and returns the exit code of the command. A stack would only help
 * the authors of this program, so it needs `LEADERSHIP_DEBUG`.
 */
export function report(error: unknown, command: string | undefined): number {
  // commander has printed its message. Help and version are not failures.
  if (error instanceof CommanderError && error.exitCode === 0) return succeeded;
  // The reader of the output has ended, as in `status | head -1`: no failure of this program.
  if (isCoded(error) && error.code === 'EPIPE') return exitCodeOf('SIGPIPE');
  if (!(error instanceof CommanderError)) {
    process.stderr.write(`leadership: ${isDebug ? inspect(error) : errorText(error)}\n`);
  }
  // Code 2 may be one of the program that a wrapper runs.
  return isWrapper(command) ? wrapperFailed : unusable;
}

/** Returns whether the command runs another program, whose exit code it keeps. */
export function isWrapper(command: string | undefined): boolean {
  return command === 'run' || command === 'guard';
}

function errorText(error: unknown): string {
  if (error instanceof LeadershipError) {
    const hint = error.code === 'partitions-differ' ? partitionsHint : '';
    return `${printable(error.message)} (${error.code})${hint}`;
  }
  return printable(error instanceof Error ? error.message : String(error));
}

function isCoded(error: unknown): error is Error & { readonly code: unknown } {
  return error instanceof Error && 'code' in error;
}
