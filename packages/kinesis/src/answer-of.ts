import { LeadershipError } from '@leadership/core';
import { type Patience, within } from '@leadership/core/backend';

/** What is asked: where there are a table and a stream, an error names the one that did not answer. */
export interface Answering {
  readonly kind: 'table' | 'stream';
  readonly name: string;
}

/**
 * Waits for the answer to `ask`, as long as patience lasts.
 * @throws LeadershipError `unreachable` with the name of the table or stream where no answer came in time
 */
export async function answerOf<T>({ kind, name }: Answering, patience: Patience, ask: (signal: AbortSignal) => Promise<T>): Promise<T> {
  try {
    return await within(patience, ask);
  } catch (error) {
    if (error instanceof LeadershipError || patience.until.aborted) throw error;
    throw new LeadershipError('unreachable', `${kind} "${name}": ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}
