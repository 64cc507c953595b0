import { nextWake } from '../flow/latest.ts';
import { type Queue, queue } from '../flow/queue.ts';
import type { Ledger, LedgerNews, Want } from '../ledger/ledger.ts';
import type { Clock } from '../time/clock.ts';
import type { Instant } from '../time/instant.ts';
import type { Link } from './link.ts';
import type { MemoryStore } from './store.ts';

/**
 * Creates the memory ledger, the simplest ledger possible. While `link` is cut it reads nothing and
 * answers no request.
 */
export function memoryLedger(store: MemoryStore, link: Link, clock: Clock): Ledger {
  let all: Queue<LedgerNews> = queue();
  const show = (partition: number): void => {
    const record = store.current(partition);
    if (record) all.push({ kind: 'record', record, receivedAt: clock.now() });
    all.push({ kind: 'end', partitions: [partition] });
  };
  const reread = (partition: number): void => {
    all.push({ kind: 'restarted', partition });
    show(partition);
  };
  const request = async <T>(signal: AbortSignal, answer: () => T): Promise<T> => (link.isCut ? await unanswered(signal) : answer());
  return {
    shape: 'register',
    async *news(partitions, signal) {
      // Items that an earlier call left unread are older than the start of this reading.
      all = queue();
      const own = all;
      using _written = store.listen({
        written: (record) => link.isCut || own.push({ kind: 'record', record, receivedAt: clock.now() }),
      });
      using _mended = link.listen({ mended: () => partitions.forEach(reread) });
      if (!link.isCut) partitions.forEach(show);
      yield* own.drain(signal);
    },
    write: (record, signal) => request(signal, () => (store.compareAndSet(record) ? 'in-effect' : 'refused')),
    reread: (partition) => link.isCut || reread(partition),
    wants: {
      ask: (want, signal) => request(signal, () => store.ask(want)),
      async *asked(signal) {
        const wants = queue<Want & { readonly receivedAt: Instant }>();
        using _listening = store.listen({ asked: (want) => link.isCut || wants.push({ ...want, receivedAt: clock.now() }) });
        yield* wants.drain(signal);
      },
    },
    close: () => Promise.resolve(),
  };
}

/** Blocks a request that gets no answer until its caller gives up. */
async function unanswered(signal: AbortSignal): Promise<never> {
  if (!signal.aborted) await nextWake(new Set(), signal);
  throw new Error('the member is cut off from the store');
}
