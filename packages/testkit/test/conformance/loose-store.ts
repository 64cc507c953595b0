import {
  type LeaseRequest,
  type LedgerEvent,
  type LedgerRecord,
  pinRegister,
} from '@leadership/core/internal/lease';

/** One member's listener on the store. */
export interface StoreListener {
  update(update: LedgerEvent): void;
  leaseRequested(request: LeaseRequest): void;
  present(): void;
}

/** A group's registers in this process, which tests may change directly. */
export interface LooseStore {
  readonly registers: Map<number, LedgerRecord>;
  readonly present: Set<string>;
  readonly listeners: Set<StoreListener>;
  /** The number of requests so far. */
  requests: number;
  isWithoutQuorum: boolean;
  /** Functions that end the current reads of this store. */
  readonly broken: Set<() => void>;
  compareAndSet(record: LedgerRecord): boolean;
  /** Puts the record in effect without a comparison. */
  overwrite(record: LedgerRecord): void;
  /** Every record that was in effect, in order. */
  readonly history: LedgerRecord[];
  /** Notifies every listener. */
  notify(update: (listener: StoreListener) => void): void;
  /** Sends the content of a register to a listener that starts to read it. */
  show(partition: number, listener: StoreListener): void;
  /** Restarts the registers of every listener with the records that are left. */
  reportLost(): void;
  putOtherRelease(partition: number, kind: string, thresholdMs: number): void;
}

export function looseStore(group: string): LooseStore {
  const store: LooseStore = {
    registers: new Map(),
    present: new Set(),
    listeners: new Set(),
    requests: 0,
    isWithoutQuorum: false,
    broken: new Set(),
    history: [],
    compareAndSet(record) {
      if ((store.registers.get(record.partition)?.id ?? null) !== record.after) return false;
      store.overwrite(record);
      return true;
    },
    overwrite(record) {
      store.registers.set(record.partition, record);
      store.history.push(record);
      store.notify((listener) =>
        listener.update({ kind: 'record', record, receivedAt: performance.now() as never }),
      );
    },
    notify(update) {
      for (const listener of store.listeners) update(listener);
    },
    show(partition, listener) {
      const record = store.registers.get(partition);
      if (record)
        listener.update({ kind: 'record', record, receivedAt: performance.now() as never });
      listener.update({ kind: 'end', partitions: [partition] });
    },
    reportLost() {
      for (let partition = pinRegister; partition <= 0; partition += 1) {
        store.notify((listener) => {
          listener.update({ kind: 'restarted', partition });
          store.show(partition, listener);
        });
      }
    },
    putOtherRelease(partition, kind, thresholdMs) {
      const current = store.registers.get(partition);
      const stranger = {
        group,
        partition,
        member: 'stranger',
        incarnation: crypto.randomUUID(),
        kind,
        thresholdMs,
      };
      const id = `stranger/${stranger.incarnation}/1`;
      const place = {
        id,
        after: current?.id ?? null,
        height: (current?.height ?? -1) + 1,
        token: (current?.token ?? 0n) + 1n,
      };
      store.compareAndSet({ ...stranger, ...place, metadata: { release: 'later' } });
    },
  };
  return store;
}
