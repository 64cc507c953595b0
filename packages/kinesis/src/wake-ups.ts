// Who changed something in the table that others wait for says so on the stream, and they look at once instead of in their own time.
// What is so, and since when, only the table tells: a wake-up that is lost, late, repeated or forged costs a reading at most.
import { pause, raised } from '@leadership/core/backend';
import type { ShardNews } from './follow-shards.ts';
import { groupKey } from './hash-key.ts';
import { listen } from './listen.ts';
import { type Pace, pace } from './pace.ts';
import { answerMsOf, type Store } from './store.ts';
import type { Stream } from './stream.ts';
import { wakerIn } from './wake-up.ts';
import { wakeUpSender } from './wake-up-sender.ts';

/** How members of a group wake one another. */
export interface WakeUps {
  /** Lets the others know that there is news in the table. Nobody waits for it. */
  wake(): void;
  /**
   * Rings for every wake-up from here on, until the signal aborts. Resolves once it listens, or once it is known that it will only
   * later, and soon in any case. The first time it rejects with what only a person can mend, where that is known by then.
   */
  listen(ring: () => void, signal: AbortSignal): Promise<void>;
  /** Nothing is sent any more. */
  close(): void;
}

/** Where there is no stream, everyone looks in their own time. */
export const noWakeUps: WakeUps = { wake: () => undefined, listen: () => Promise.resolve(), close: () => undefined };

/** Wake-ups on a stream, where the group's name leads. Those who only observe send none. */
export function streamWakeUps(store: Store, stream: Stream, sends: boolean): WakeUps {
  const { host, group, clock, busy, thresholdMs, readers } = store;
  const { random, incarnation } = host;
  const key = groupKey(group);
  // Without a stream there is an election all the same, only with slower hand-overs.
  const troubles = raised(host, 'warning');
  const sender = wakeUpSender(store, { stream, key, troubles });
  const newPace = (): Pace => pace({ readers, lastMs: thresholdMs, random });
  const following = { stream, keys: [key], clock, limitMs: answerMsOf(thresholdMs), newPace, busy, troubles };
  const backOff = { firstMs: thresholdMs / 4, lastMs: thresholdMs, random };
  let isFirst = true;
  return {
    wake: sender.wake,
    async listen(ring, signal) {
      const mayRefuse = isFirst;
      isFirst = false;
      const take = (news: ShardNews): void => {
        if (news.kind === 'records' && news.texts.some((text) => isForUs(wakerIn(text, group), incarnation))) ring();
      };
      const refusesMs = mayRefuse ? store.pollMs : 0;
      const listening = listen({ following, clock, backOff, troubles, refusesMs }, take, signal);
      const greeting = mayRefuse && sends ? sender.greet(signal) : Promise.resolve();
      const late = pause(clock, refusesMs, signal);
      await Promise.all([listening, Promise.race([greeting, late])]);
    },
    close() {
      sender.close();
      troubles.mendAll();
    },
  };
}

function isForUs(waker: string | undefined, incarnation: string): boolean {
  return waker !== undefined && waker !== incarnation;
}
