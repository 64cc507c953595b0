import type { StoreProxy } from '@leadership/testkit/faults';
import type { Bucket } from '../../src/bucket.ts';

/** Returns a bucket whose requests meet the faults of the proxy. */
export function hindered(bucket: Bucket, way: StoreProxy): Bucket {
  // A request that is held back reaches the server after its member gave it up.
  const later = (signal: AbortSignal): AbortSignal =>
    signal.aborted ? new AbortController().signal : signal;
  return {
    open: (mayCreate, signal) => way.read('open', () => bucket.open(mayCreate, later(signal))),
    list: (mayLag, signal) => way.read('list', () => bucket.list(mayLag, later(signal))),
    // Deliveries of the consumer are readings too.
    received: (signal) => way.read('received', () => bucket.received(later(signal))),
    write: (change, signal) => way.write(() => bucket.write(change, later(signal))),
    watch: (signal) => way.stream((until) => bucket.watch(until), signal),
    close: () => bucket.close(),
  };
}
