// KafkaJS 2.2 polls the request queue of every open connection a thousand times a second (its issue
// 1704). That is more than half of the CPU time of an idle member. The poll is only necessary while
// a request waits, because each answer checks the queue too. So this patch replaces the method that
// schedules the next poll.
import { fieldOf } from './visit-connections.ts';

interface RequestQueue {
  readonly pending: readonly unknown[];
  scheduleCheckPendingRequests(): void;
}

/**
 * Stops the polling of a connection's queue while no request waits. Returns whether the patch could
 * be applied.
 */
export function patchRequestQueue(connection: unknown): boolean {
  const queue = fieldOf(connection, 'requestQueue');
  if (!isQueue(queue)) return false;
  const checkPendingRequests = queue.scheduleCheckPendingRequests.bind(queue);
  queue.scheduleCheckPendingRequests = () => {
    if (queue.pending.length > 0) checkPendingRequests();
  };
  return true;
}

function isQueue(value: unknown): value is RequestQueue {
  return (
    Array.isArray(fieldOf(value, 'pending')) &&
    typeof fieldOf(value, 'scheduleCheckPendingRequests') === 'function'
  );
}
