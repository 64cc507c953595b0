import { LeadershipError } from '@leadership/core';
import { type Clock, latest, queue } from '@leadership/core/backend';
import type { Ledger, LedgerNews, LedgerRecord, Presence, Want, Written } from '@leadership/core/ledger';
import type { WayFault } from '../../src/index.ts';
import type { Ear, LooseStore } from './loose-store.ts';

/** One member's way to the store. While it is cut nothing gets through; `held` is what waits for a paused member. */
export interface Line {
  isCut: boolean;
  isPaused: boolean;
  /** What reached a paused member's socket meanwhile. */
  readonly held: (() => void)[];
  /** Ends what is being read over it. */
  readonly broken: Set<() => void>;
  /** Everything that is told once the line is mended. */
  readonly mended: Set<() => void>;
  readonly faults: Set<WayFault>;
  /** What was read last before nothing new was read any more. */
  stale: ReadonlyMap<number, LedgerRecord> | undefined;
  /** Writes that arrive once the line is mended. */
  readonly late: (() => void)[];
}

export function looseLine(): Line {
  return { isCut: false, isPaused: false, held: [], broken: new Set(), mended: new Set(), faults: new Set(), stale: undefined, late: [] };
}

/** Hampers the line until disposed. */
export function hamperLine(store: LooseStore, line: Line, fault: WayFault): Disposable {
  line.faults.add(fault);
  const isDeaf = fault === 'stale-reads' || fault === 'reads-cut';
  if (isDeaf) line.stale = new Map(store.registers);
  return {
    [Symbol.dispose]() {
      line.faults.delete(fault);
      if (isDeaf) line.stale = undefined;
      for (const arrive of line.late.splice(0)) arrive();
      for (const told of line.mended) told();
    },
  };
}

/** When a client library repeats a request that was not answered. Milliseconds. */
const repeatedMs = 150;
/** How often it does. */
const repeats = 3;

/** Nothing new is read over such a line. */
const deafening: readonly WayFault[] = ['stale-reads', 'reads-cut', 'expired-credentials'];

/** A ledger over the loose store. A blind one compares on its own side, with what it read last, and then overwrites. */
export function looseLedger(store: LooseStore, line: Line, clock: Clock, isBlind = false): Ledger {
  const all = queue<LedgerNews>();
  const wants = queue<Want & { readonly receivedAt: ReturnType<Clock['now']> }>();
  const deliver = (what: () => void): void => {
    if (line.isPaused) line.held.push(what);
    else if (!line.isCut && !deafening.some((fault) => line.faults.has(fault))) what();
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
  const request = async <T>(signal: AbortSignal, answer: () => T | Promise<T>): Promise<T> => {
    store.requests += 1;
    if (line.faults.has('expired-credentials')) throw new LeadershipError('unauthorized', 'the credentials have expired');
    if (store.isWithoutQuorum) throw withoutQuorum();
    if (line.isCut || line.isPaused || line.faults.has('writes-cut')) await unanswered(signal);
    return answer();
  };
  const compareAndSet = (record: LedgerRecord): boolean => {
    if (!isBlind) return store.compareAndSet(record);
    const read = (line.stale ?? store.registers).get(record.partition);
    if ((read?.id ?? null) !== record.after && line.late.length === 0) return false;
    store.overwrite(record);
    return true;
  };
  const write = async (record: LedgerRecord, signal: AbortSignal): Promise<Written> => {
    if (line.faults.has('late-writes')) {
      line.late.push(() => (isBlind ? store.overwrite(record) : store.compareAndSet(record)));
      return unanswered(signal);
    }
    const isInEffect = compareAndSet(record);
    if (!line.faults.has('lost-replies')) return isInEffect ? 'in-effect' : 'refused';
    // A client library that repeats what was not answered, on its own and without asking.
    for (let time = 1; isBlind && time <= repeats; time += 1) setTimeout(() => store.overwrite(record), time * repeatedMs);
    return unanswered(signal);
  };
  return {
    shape: 'register',
    async *news(partitions, signal) {
      const rereadAll = (): void => partitions.forEach(reread);
      const broken = new AbortController();
      const breaks = (): void => broken.abort();
      insistReadable(store, line);
      store.ears.add(ear);
      line.mended.add(rereadAll);
      store.broken.add(breaks);
      line.broken.add(breaks);
      for (const partition of partitions) store.show(partition, ear);
      try {
        yield* all.drain(AbortSignal.any([signal, broken.signal]));
        insistReadable(store, line);
      } finally {
        store.ears.delete(ear);
        store.broken.delete(breaks);
        line.broken.delete(breaks);
        line.mended.delete(rereadAll);
      }
    },
    write: (record, signal) => request(signal, () => write(record, signal)),
    reread,
    wants: {
      ask: (want, signal) => request(signal, () => store.tell((other) => other.asked(want))),
      asked: (signal) => wants.drain(signal),
    },
    close: () => Promise.resolve(),
  };
}

const withoutQuorum = (): LeadershipError => new LeadershipError('no-quorum', 'no quorum of voters is left');

/** Readers are told of a line that is cut, and of a store without a quorum, which answers nothing. */
function insistReadable({ isWithoutQuorum }: LooseStore, { isCut }: Line): void {
  if (isWithoutQuorum) throw withoutQuorum();
  if (isCut) throw new LeadershipError('unreachable', 'the line is cut');
}

/** What becomes of a request that gets no answer. */
function unanswered(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('no answer'))));
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
