// KafkaJS 2.2 looks a thousand times a second, on every connection and for as long as it is open, whether a request waits that it held
// back (its issue 1704): more than half of what an idle member would cost. It need look only while one waits, as it looks anyway
// whenever an answer comes. So the method by which a queue sees to its next look is replaced.
import { fieldOf } from './connections-of.ts';

interface RequestQueue {
  readonly pending: readonly unknown[];
  scheduleCheckPendingRequests(): void;
}

/** Lets a connection rest while nothing waits. Returns whether it is built as expected. */
export function calmQueue(connection: unknown): boolean {
  const queue = fieldOf(connection, 'requestQueue');
  if (!isQueue(queue)) return false;
  const lookAgain = queue.scheduleCheckPendingRequests.bind(queue);
  queue.scheduleCheckPendingRequests = () => {
    if (queue.pending.length > 0) lookAgain();
  };
  return true;
}

function isQueue(value: unknown): value is RequestQueue {
  return Array.isArray(fieldOf(value, 'pending')) && typeof fieldOf(value, 'scheduleCheckPendingRequests') === 'function';
}
