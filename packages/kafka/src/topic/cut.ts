// Removes the start of a partition of the topic.
import { LeadershipError } from '@leadership/core';
import type { HealthReporter } from '@leadership/core/internal/engine';
import { administer, type TopicOptions } from './topic.ts';

/** The topic, and where a missing right is reported. */
export interface CutOptions {
  readonly topic: TopicOptions;
  readonly warnings: HealthReporter;
  readonly signal: AbortSignal;
}

/** Removes the records of a partition below an offset. Returns whether they are removed. */
export async function cut(
  { topic, warnings, signal }: CutOptions,
  partition: number,
  offset: bigint,
): Promise<boolean> {
  try {
    await administer(
      topic,
      async (admin, answer) => {
        // A separate connection: brokers answer only after every replica has cut too, and renewals
        // must not wait for that.
        await answer(admin.find());
        await answer(admin.cut(partition, offset));
      },
      signal,
    );
    warnings.mend('pruning');
    return true;
  } catch (error) {
    const isForbidden = error instanceof LeadershipError && error.code === 'unauthorized';
    if (isForbidden && !signal.aborted && topic.check === 'full')
      warnings.raise('pruning', new LeadershipError(error.code, grows(topic), { cause: error }));
    return false;
  }
}

function grows({ topic }: TopicOptions): string {
  return `topic ${topic}: old records cannot be removed, and it grows: grant Delete on it`;
}
