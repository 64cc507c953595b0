import { nextWake } from '../async/latest-value.ts';
import { asyncQueue } from '../async/queue.ts';
import { LeadershipError } from '../contract/leadership-error.ts';
import type { LeaseRequest, Ledger, LedgerEvent } from '../ledger/ledger.ts';
import type { Clock } from '../time/clock.ts';
import type { Instant } from '../time/instant.ts';
import type { Link } from './link.ts';
import type { MemoryStore } from './store.ts';
import { type Reading, type Unread, unreadRegisters } from './unread.ts';

/**
 * Creates the memory ledger, the simplest ledger possible. A cut of `link` breaks the stream; until
 * it is mended the ledger reads nothing and answers no request. The events carry the record that is
 * current when the member reads it. A copy from the time of the write could be older than the
 * answer to a later write, and the member would conclude that the store went back (L11).
 */
export function memoryLedger(store: MemoryStore, link: Link, clock: Clock): Ledger {
  let unread: Unread = unreadRegisters();
  const request = async <T>(signal: AbortSignal, answer: () => T): Promise<T> =>
    link.isCut ? await unanswered(signal) : answer();
  function* read(partition: number, reading: Reading): Generator<LedgerEvent> {
    if (reading === 'restarted') yield { kind: 'restarted', partition };
    const record = link.isCut ? null : store.current(partition);
    if (record) yield { kind: 'record', record, receivedAt: clock.now() };
    if (reading !== 'written' && !link.isCut) yield { kind: 'end', partitions: [partition] };
  }
  return {
    shape: 'register',
    async *events(partitions, signal) {
      // Registers that an earlier call left unread are older than the start of this reading.
      const own = unreadRegisters();
      unread = own;
      const broken = new AbortController();
      using _cut = link.listen({ cut: () => broken.abort() });
      if (link.isCut) await mended(link, signal);
      using _written = store.listen({
        written: ({ partition }) => link.isCut || own.add(partition, 'written'),
      });
      for (const partition of partitions) own.add(partition, 'begun');
      const open = AbortSignal.any([signal, broken.signal]);
      for await (const [partition, reading] of own.drain(open)) yield* read(partition, reading);
      // An observer sends no request that would fail: it learns of the cut here.
      if (!signal.aborted)
        throw new LeadershipError('unreachable', 'the member is cut off from the store');
    },
    write: (record, signal) =>
      request(signal, () => (store.compareAndSet(record) ? 'in-effect' : 'refused')),
    reread: (partition) => link.isCut || unread.add(partition, 'restarted'),
    leaseRequests: {
      send: (leaseRequest, signal) => request(signal, () => store.requestLease(leaseRequest)),
      async *received(signal) {
        const received = asyncQueue<LeaseRequest & { readonly receivedAt: Instant }>();
        using _listening = store.listen({
          leaseRequested: (leaseRequest) =>
            link.isCut || received.push({ ...leaseRequest, receivedAt: clock.now() }),
        });
        yield* received.drain(signal);
      },
    },
    close: () => Promise.resolve(),
  };
}

/** Resolves once the link holds, or the signal aborts. */
async function mended(link: Link, signal: AbortSignal): Promise<void> {
  const wakes = new Set<() => void>();
  using _mended = link.listen({ mended: () => wakes.forEach((wake) => wake()) });
  await nextWake(wakes, signal);
}

/** Blocks a request that gets no answer until its caller gives up. */
async function unanswered(signal: AbortSignal): Promise<never> {
  if (!signal.aborted) await nextWake(new Set(), signal);
  throw new Error('the member is cut off from the store');
}
