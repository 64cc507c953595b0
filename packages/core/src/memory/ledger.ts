import { LeadershipError } from '../contract/leadership-error.ts';
import { nextWake } from '../flow/latest.ts';
import { type Queue, queue } from '../flow/queue.ts';
import type { Ledger, LedgerNews, Want } from '../ledger/ledger.ts';
import type { Clock } from '../time/clock.ts';
import type { Instant } from '../time/instant.ts';
import type { Link } from './link.ts';
import type { MemoryStore } from './store.ts';

/**
 * Creates the memory ledger, the simplest ledger possible. A cut of `link` breaks the news; until it
 * is mended the ledger reads nothing and answers no request.
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
      const broken = new AbortController();
      using _cut = link.listen({ cut: () => broken.abort() });
      if (link.isCut) await mended(link, signal);
      using _written = store.listen({
        written: (record) => link.isCut || own.push({ kind: 'record', record, receivedAt: clock.now() }),
      });
      partitions.forEach(show);
      yield* own.drain(AbortSignal.any([signal, broken.signal]));
      // An observer sends no request that would fail: it learns of the cut here.
      if (!signal.aborted) throw new LeadershipError('unreachable', 'the member is cut off from the store');
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
