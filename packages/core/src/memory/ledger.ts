import { type Queue, queue } from '../flow/queue.ts';
import type { Ledger, LedgerNews, Want } from '../ledger/ledger.ts';
import type { Clock } from '../time/clock.ts';
import type { Instant } from '../time/instant.ts';
import type { MemoryStore } from './store.ts';

/** The memory ledger: what a ledger is at its simplest. */
export function memoryLedger(store: MemoryStore, clock: Clock): Ledger {
  const all: Queue<LedgerNews> = queue();
  const show = (partition: number): void => {
    const record = store.current(partition);
    if (record) all.push({ kind: 'record', record, receivedAt: clock.now() });
    all.push({ kind: 'end', partitions: [partition] });
  };
  return {
    shape: 'register',
    async *news(partitions, signal) {
      using _listening = store.listen({ written: (record) => all.push({ kind: 'record', record, receivedAt: clock.now() }) });
      partitions.forEach(show);
      yield* all.drain(signal);
    },
    write: async (record) => (store.compareAndSet(record) ? 'in-effect' : 'refused'),
    reread(partition) {
      all.push({ kind: 'restarted', partition });
      show(partition);
    },
    wants: {
      ask: async (want) => store.ask(want),
      async *asked(signal) {
        const wants = queue<Want & { readonly receivedAt: Instant }>();
        using _listening = store.listen({ asked: (want) => wants.push({ ...want, receivedAt: clock.now() }) });
        yield* wants.drain(signal);
      },
    },
    close: () => Promise.resolve(),
  };
}
