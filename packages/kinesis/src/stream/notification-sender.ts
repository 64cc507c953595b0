// Notifies other members over a stream that the table has changed.
import type { HealthReporter } from '@leadership/core/internal/engine';
import { withResponseTimeout } from '../client/response-timeout.ts';
import { isFinal, toError } from '../errors.ts';
import type { Store } from '../table/store.ts';
import type { HashKey } from './hash-key.ts';
import { formatNotification } from './notification.ts';
import type { Stream } from './stream.ts';

/** Sends the wake-up notifications of one member. */
export interface NotificationSender {
  /** Notifies the other members of a change in the table. Returns at once. */
  notify(): void;
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
export interface NotificationTarget {
  readonly stream: Stream;
  readonly key: HashKey;
  readonly troubles: HealthReporter;
}

/** The key of problems with sending. */
const about = 'waking';

/**
 * Creates a sender for one hash key of the stream. All calls during a pending request are combined
 * into one further notification.
 */
export function notificationSender(
  store: Store,
  { stream, key, troubles }: NotificationTarget,
): NotificationSender {
  const { group, host, clock, busy, openingMs } = store;
  const text = formatNotification(group, host.incarnation);
  const never = new AbortController().signal;
  const send = async (until: AbortSignal): Promise<void> => {
    await withResponseTimeout(stream, { clock, limitMs: openingMs, signal: until }, (signal) =>
      stream.append([{ key, text }], signal),
    );
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
      await send(never).catch(
        (error: unknown) => isClosed || troubles.raise(about, toError(error)),
      );
    }
    isSending = false;
  };
  return {
    notify() {
      if (isClosed) return;
      isDue = true;
      if (!isSending) void busy.track(sendAll());
    },
    async greet(signal) {
      try {
        await busy.track(send(signal));
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
