import type { Host } from '@leadership/core/adapter';
import { fileError } from './errors.ts';

/** One recurring problem. It is reported once, however often it occurs, until it is resolved. */
export interface RecurringProblem {
  raise(error: unknown): void;
  mend(): void;
}

/** Creates a reporter of problems with `path`. */
export function recurringProblem(host: Pick<Host, 'trouble'>, path: string): RecurringProblem {
  let message: string | undefined;
  let trouble: Disposable | undefined;
  const mend = (): void => {
    trouble?.[Symbol.dispose]();
    trouble = message = undefined;
  };
  return {
    raise(error) {
      const failure = fileError(error, path);
      if (failure.message === message) return;
      mend();
      message = failure.message;
      trouble = host.trouble(failure.code, failure.message, failure.cause);
    },
    mend,
  };
}
