import { setTimeout as pause } from 'node:timers/promises';
import type { Ground } from './ground.ts';

/** Counts what is written to a topic. Disposing stops reading it. */
export interface Tally extends AsyncDisposable {
  /** Records per second over a window that begins now, all partitions together. */
  perSecond(windowMs: number): Promise<number>;
}

/** Reads a topic from its end. */
export async function openTally({ kafka }: Ground, topic: string): Promise<Tally> {
  const consumer = kafka.consumer({ groupId: `tally-${topic}`, allowAutoTopicCreation: false });
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

/** By the time between the first and the last: the edges of the window, which cut between two records, do not matter. */
function rateOf(stamps: readonly number[]): number {
  const [first = 0, last = 0] = [stamps[0], stamps.at(-1)];
  return stamps.length < 2 ? 0 : (1000 * (stamps.length - 1)) / (last - first);
}
