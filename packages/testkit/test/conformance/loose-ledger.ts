import { type Clock, latest, queue } from '@leadership/core/backend';
import type { Ledger, LedgerNews, Presence, Want } from '@leadership/core/ledger';
import type { Ear, LooseStore } from './loose-store.ts';

/** One member's way to the store. While it is cut nothing gets through; `held` is what waits for a paused member. */
export interface Line {
  isCut: boolean;
  isPaused: boolean;
  /** What reached a paused member's socket meanwhile. */
  readonly held: (() => void)[];
  /** Everything that is told once the line is mended. */
  readonly mended: Set<() => void>;
}

export function looseLine(): Line {
  return { isCut: false, isPaused: false, held: [], mended: new Set() };
}

/** A ledger over the loose store. */
export function looseLedger(store: LooseStore, line: Line, clock: Clock): Ledger {
  const all = queue<LedgerNews>();
  const wants = queue<Want & { readonly receivedAt: ReturnType<Clock['now']> }>();
  const deliver = (what: () => void): void => {
    if (line.isPaused) line.held.push(what);
    else if (!line.isCut) what();
  };
  const ear: Ear = {
    news: (news) => deliver(() => all.push(news.kind === 'record' ? { ...news, receivedAt: clock.now() } : news)),
    asked: (want) => deliver(() => wants.push({ ...want, receivedAt: clock.now() })),
    present: () => undefined,
  };
  const reread = (partition: number): void => {
    ear.news({ kind: 'restarted', partition });
    store.show(partition, ear);
  };
  const request = async <T>(signal: AbortSignal, answer: () => T): Promise<T> => {
    if (line.isCut || line.isPaused)
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('no answer'))));
    return answer();
  };
  return {
    shape: 'register',
    async *news(partitions, signal) {
      const rereadAll = (): void => partitions.forEach(reread);
      store.ears.add(ear);
      line.mended.add(rereadAll);
      for (const partition of partitions) store.show(partition, ear);
      try {
        yield* all.drain(signal);
      } finally {
        store.ears.delete(ear);
        line.mended.delete(rereadAll);
      }
    },
    write: (record, signal) => request(signal, () => (store.compareAndSet(record) ? 'in-effect' : 'refused')),
    reread,
    wants: {
      ask: (want, signal) => request(signal, () => store.tell((other) => other.asked(want))),
      asked: (signal) => wants.drain(signal),
    },
    close: () => Promise.resolve(),
  };
}

/** Who is there, by the loose store. */
export function loosePresence(store: LooseStore, line: Line, incarnation: string): Presence {
  const changed = (): void => store.tell((ear) => ear.present());
  return {
    async announce(signal) {
      store.present.add(incarnation);
      changed();
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
      store.present.delete(incarnation);
      changed();
    },
    async *present(signal) {
      const present = latest<readonly string[]>([...store.present]);
      const ear: Ear = { news: () => undefined, asked: () => undefined, present: () => line.isCut || present.set([...store.present]) };
      store.ears.add(ear);
      try {
        yield* present.follow(signal);
      } finally {
        store.ears.delete(ear);
      }
    },
  };
}
