// Limits how long a request to AWS may take.
import { LeadershipError } from '@leadership/core';
import { type TimeoutOptions, withTimeout } from '@leadership/core/adapter';

/** Identifies the table or stream that a request goes to, so that an error can name it. */
export interface RequestTarget {
  readonly kind: 'table' | 'stream';
  readonly name: string;
}

/**
 * Sends a request with `ask` and returns its answer. Gives up when `timeout` runs out.
 * @throws LeadershipError `unreachable` with the name of the table or stream if the answer does
 * not arrive in time
 */
export async function withResponseTimeout<T>(
  { kind, name }: RequestTarget,
  timeout: TimeoutOptions,
  ask: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  try {
    return await withTimeout(timeout, ask);
  } catch (error) {
    if (error instanceof LeadershipError || timeout.signal.aborted) throw error;
    throw new LeadershipError(
      'unreachable',
      `${kind} "${name}": ${error instanceof Error ? error.message : String(error)}`,
      {
        cause: error,
      },
    );
  }
}
