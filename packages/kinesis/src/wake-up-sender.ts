import type { Raised } from '@leadership/core/backend';
import { answerOf } from './answer-of.ts';
import { isFinal, toError } from './errors.ts';
import type { HashKey } from './hash-key.ts';
import type { Store } from './store.ts';
import type { Stream } from './stream.ts';
import { wakeUpOf } from './wake-up.ts';

/** Sends a member's wake-ups. */
export interface WakeUpSender {
  /** Lets the others know that there is news in the table. Nobody waits for it. */
  wake(): void;
  /** The same, of one that comes: who may not write there should know before somebody waits for it. Rejects with what no waiting mends. */
  greet(signal: AbortSignal): Promise<void>;
  /** Nothing is sent any more. */
  close(): void;
}

/** Where they go. */
export interface WakeUpPlace {
  readonly stream: Stream;
  readonly key: HashKey;
  readonly troubles: Raised;
}

/** The trouble with sending. */
const about = 'waking';

/** Sends wake-ups to that place on the stream. What is to be told while one is on its way is told by one more. */
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
      // Whoever misses it looks in its own time.
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
