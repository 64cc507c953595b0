// Notifies members over the stream when another member has changed the table, so that they read the
// table at once instead of at their next poll. Only the table determines the state. A notification
// that is lost, late, repeated or forged costs at most one read.
import { sleep } from '@leadership/core/adapter';
import { HealthReporter } from '@leadership/core/internal/engine';
import type { Notifications } from '../table/notifications.ts';
import { answerMsOf, type Store } from '../table/store.ts';
import type { ShardUpdate } from './follow-shards.ts';
import { groupKey } from './hash-key.ts';
import { listen } from './listen.ts';
import { notifierIn } from './notification.ts';
import { notificationSender } from './notification-sender.ts';
import { type ReadRate, readRate } from './read-rate.ts';
import type { Stream } from './stream.ts';

/** Sends and receives notifications over a stream. Observers do not send (`sends` is false). */
export function streamNotifications(store: Store, stream: Stream, sends: boolean): Notifications {
  const { host, group, clock, busy, thresholdMs, readers } = store;
  const { random, incarnation } = host;
  const key = groupKey(group);
  // The election works without a stream, only with slower hand-overs. Problems are warnings.
  const troubles = new HealthReporter(host, 'warning');
  const sender = notificationSender(store, { stream, key, troubles });
  const newReadRate = (): ReadRate => readRate({ readers, lastMs: thresholdMs, random });
  const following = {
    stream,
    keys: [key],
    clock,
    limitMs: answerMsOf(thresholdMs),
    newReadRate,
    busy,
    troubles,
  };
  const backOff = { firstMs: thresholdMs / 4, lastMs: thresholdMs, random };
  let isFirst = true;
  return {
    notify: sender.notify,
    async listen(ring, signal) {
      const mayRefuse = isFirst;
      isFirst = false;
      const take = (update: ShardUpdate): void => {
        if (
          update.kind === 'records' &&
          update.texts.some((text) => isForUs(notifierIn(text, group), incarnation))
        )
          ring();
      };
      const refusesMs = mayRefuse ? store.firstListenMs : 0;
      const listening = listen({ following, clock, backOff, troubles, refusesMs }, take, signal);
      const greeting = mayRefuse && sends ? sender.greet(signal) : Promise.resolve();
      const late = sleep(clock, refusesMs, signal);
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
