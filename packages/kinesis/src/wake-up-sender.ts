import type { Raised } from '@leadership/core/backend';
import { answerOf } from './answer-of.ts';
import { isFinal, toError } from './errors.ts';
import type { HashKey } from './hash-key.ts';
import type { Store } from './store.ts';
import type { Stream } from './stream.ts';
import { wakeUpOf } from './wake-up.ts';

/** Sends the wake-up notifications of one member. */
export interface WakeUpSender {
  /** Notifies the other members of a change in the table. Returns at once. */
  wake(): void;
  /**
   * Sends the first notification when a member starts. Thus a missing write permission is found
   * before another member depends on a notification. Rejects with errors that waiting cannot
   * resolve.
   */
  greet(signal: AbortSignal): Promise<void>;
  /** Stops sending. */
  close(): void;
}

/** Where to send notifications, and where to report problems. */
export interface WakeUpPlace {
  readonly stream: Stream;
  readonly key: HashKey;
  readonly troubles: Raised;
}

/** The key of problems with sending. */
const about = 'waking';

/**
 * Creates a sender for one hash key of the stream. All calls during a pending request are combined
 * into one further notification.
 */
export function wakeUpSender(store: Store, { stream, key, troubles }: WakeUpPlace): WakeUpSender {
  const { group, host, clock, busy, openingMs } = store;
  const text = wakeUpOf(group, host.incarnation);
  const never = new AbortController().signal;
  const send = async (until: AbortSignal): Promise<void> => {
    await answerOf(stream, { clock, limitMs: openingMs, until }, (signal) => stream.append([{ key, text }], signal));
    troubles.mend(about);
  };
  let isDue = false;
  let isSending = false;
  let isClosed = false;
  const sendAll = async (): Promise<void> => {
    isSending = true;
    while (isDue) {
      isDue = false;
      // A member that misses the notification sees the change at its next poll.
      await send(never).catch((error: unknown) => isClosed || troubles.raise(about, toError(error)));
    }
    isSending = false;
  };
  return {
    wake() {
      if (isClosed) return;
      isDue = true;
      if (!isSending) void busy.with(sendAll());
    },
    async greet(signal) {
      try {
        await busy.with(send(signal));
      } catch (thrown) {
        const error = toError(thrown);
        if (!isFinal(error)) return;
        troubles.raise(about, error);
        throw error;
      }
    },
    close() {
      isClosed = true;
    },
  };
}
