import { LeadershipError } from '@leadership/core';
import type { Clock } from '@leadership/core/adapter';
import { asyncQueue, latestValue } from '@leadership/core/internal/engine';
import type {
  LeaseRequest,
  Ledger,
  LedgerEvent,
  LedgerRecord,
  Presence,
  WriteOutcome,
} from '@leadership/core/internal/lease';
import type { StoreFault } from '../../src/index.ts';
import type { LooseStore, StoreListener } from './loose-store.ts';

/**
 * One member's connection to the store. While it is cut it delivers nothing; `held` keeps
 * deliveries to a paused member.
 */
export interface Line {
  isCut: boolean;
  isPaused: boolean;
  /** Deliveries that arrived while the member was paused. */
  readonly held: (() => void)[];
  /** Functions that end the current reads of this line. */
  readonly broken: Set<() => void>;
  /** Callbacks to run once the line is repaired. */
  readonly mended: Set<() => void>;
  readonly faults: Set<StoreFault>;
  /** The registers as they were when the fault began. */
  stale: ReadonlyMap<number, LedgerRecord> | undefined;
  /** Writes that arrive once the line is repaired. */
  readonly late: (() => void)[];
}

export function looseLine(): Line {
  return {
    isCut: false,
    isPaused: false,
    held: [],
    broken: new Set(),
    mended: new Set(),
    faults: new Set(),
    stale: undefined,
    late: [],
  };
}

/** Injects a fault into the line until disposed. */
export function injectLineFault(store: LooseStore, line: Line, fault: StoreFault): Disposable {
  line.faults.add(fault);
  const isDeaf = fault === 'stale-reads' || fault === 'reads-cut';
  if (isDeaf) line.stale = new Map(store.registers);
  return {
    [Symbol.dispose]() {
      line.faults.delete(fault);
      if (isDeaf) line.stale = undefined;
      for (const arrive of line.late.splice(0)) arrive();
      for (const notify of line.mended) notify();
    },
  };
}

/** The interval at which the client library repeats an unanswered request. Milliseconds. */
const repeatedMs = 150;
/** The number of repetitions. */
const repeats = 3;

/** The faults under which a line delivers no events. */
const silencing: readonly StoreFault[] = ['stale-reads', 'reads-cut', 'expired-credentials'];

/**
 * Returns a ledger over the loose store. A blind one compares with the record that it read last,
 * and then overwrites.
 */
export function looseLedger(store: LooseStore, line: Line, clock: Clock, isBlind = false): Ledger {
  const all = asyncQueue<LedgerEvent>();
  const leaseRequests = asyncQueue<
    LeaseRequest & { readonly receivedAt: ReturnType<Clock['now']> }
  >();
  const deliver = (what: () => void): void => {
    if (line.isPaused) line.held.push(what);
    else if (!line.isCut && !silencing.some((fault) => line.faults.has(fault))) what();
  };
  const listener: StoreListener = {
    update: (update) =>
      deliver(() =>
        all.push(update.kind === 'record' ? { ...update, receivedAt: clock.now() } : update),
      ),
    leaseRequested: (one) => deliver(() => leaseRequests.push({ ...one, receivedAt: clock.now() })),
    present: () => undefined,
  };
  const reread = (partition: number): void => {
    listener.update({ kind: 'restarted', partition });
    store.show(partition, listener);
  };
  const request = async <T>(signal: AbortSignal, answer: () => T | Promise<T>): Promise<T> => {
    store.requests += 1;
    if (line.faults.has('expired-credentials'))
      throw new LeadershipError('unauthorized', 'the credentials have expired');
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
  const write = async (record: LedgerRecord, signal: AbortSignal): Promise<WriteOutcome> => {
    if (line.faults.has('late-writes')) {
      line.late.push(() => (isBlind ? store.overwrite(record) : store.compareAndSet(record)));
      return unanswered(signal);
    }
    const isInEffect = compareAndSet(record);
    if (!line.faults.has('lost-replies')) return isInEffect ? 'in-effect' : 'refused';
    // Acts like a client library that repeats unanswered requests by itself.
    for (let time = 1; isBlind && time <= repeats; time += 1)
      setTimeout(() => store.overwrite(record), time * repeatedMs);
    return unanswered(signal);
  };
  return {
    shape: 'register',
    async *events(partitions, signal) {
      const rereadAll = (): void => partitions.forEach(reread);
      const broken = new AbortController();
      const breaks = (): void => broken.abort();
      assertReadable(store, line);
      store.listeners.add(listener);
      line.mended.add(rereadAll);
      store.broken.add(breaks);
      line.broken.add(breaks);
      for (const partition of partitions) store.show(partition, listener);
      try {
        yield* all.drain(AbortSignal.any([signal, broken.signal]));
        assertReadable(store, line);
      } finally {
        store.listeners.delete(listener);
        store.broken.delete(breaks);
        line.broken.delete(breaks);
        line.mended.delete(rereadAll);
      }
    },
    write: (record, signal) => request(signal, () => write(record, signal)),
    reread,
    leaseRequests: {
      send: (one, signal) =>
        request(signal, () => store.notify((other) => other.leaseRequested(one))),
      received: (signal) => leaseRequests.drain(signal),
    },
    close: () => Promise.resolve(),
  };
}

const withoutQuorum = (): LeadershipError =>
  new LeadershipError('no-quorum', 'no quorum of voters is left');

/** Throws if the line is cut, or if the store has no quorum and answers nothing. */
function assertReadable({ isWithoutQuorum }: LooseStore, { isCut }: Line): void {
  if (isWithoutQuorum) throw withoutQuorum();
  if (isCut) throw new LeadershipError('unreachable', 'the line is cut');
}

/** Rejects when the signal aborts, like a request without an answer. */
function unanswered(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) =>
    signal.addEventListener('abort', () => reject(new Error('no answer'))),
  );
}

/** Returns the presence that the loose store reports. */
export function loosePresence(store: LooseStore, line: Line, incarnation: string): Presence {
  const changed = (): void => store.notify((listener) => listener.present());
  return {
    async announce(signal) {
      store.present.add(incarnation);
      changed();
      await new Promise<void>((resolve) =>
        signal.addEventListener('abort', () => resolve(), { once: true }),
      );
      store.present.delete(incarnation);
      changed();
    },
    async *present(signal) {
      const present = latestValue<readonly string[]>([...store.present]);
      const listener: StoreListener = {
        update: () => undefined,
        leaseRequested: () => undefined,
        present: () => line.isCut || present.set([...store.present]),
      };
      store.listeners.add(listener);
      try {
        yield* present.follow(signal);
      } finally {
        store.listeners.delete(listener);
      }
    },
  };
}
