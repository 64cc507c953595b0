import { setTimeout as pause } from 'node:timers/promises';
import type { Environment } from './environment.ts';

/** Counts the records of a topic. Disposing disconnects the consumer. */
export interface RecordRate extends AsyncDisposable {
  /**
   * Resolves with the records per second of all partitions together, over a window that begins now.
   */
  perSecond(windowMs: number): Promise<number>;
}

/** Starts to read a topic from its end. */
export async function openRecordRate({ kafka }: Environment, topic: string): Promise<RecordRate> {
  const consumer = kafka.consumer({ groupId: `rate-${topic}`, allowAutoTopicCreation: false });
  const times = new Map<number, number[]>();
  await consumer.connect();
  await consumer.subscribe({ topic });
  await consumer.run({
    autoCommit: false,
    eachMessage: ({ partition, message }) => {
      times.set(partition, [...(times.get(partition) ?? []), Number(message.timestamp)]);
      return Promise.resolve();
    },
  });
  return {
    async perSecond(windowMs) {
      times.clear();
      await pause(windowMs);
      return [...times.values()].reduce((sum, stamps) => sum + rateOf(stamps), 0);
    },
    async [Symbol.asyncDispose]() {
      await consumer.disconnect();
    },
  };
}

/**
 * Returns the rate between the first and the last record, so that the edges of the window do not
 * matter. Records per second.
 */
function rateOf(stamps: readonly number[]): number {
  const [first = 0, last = 0] = [stamps[0], stamps.at(-1)];
  return stamps.length < 2 ? 0 : (1000 * (stamps.length - 1)) / (last - first);
}
