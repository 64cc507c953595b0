import type { LeaseRequest } from '../ledger/ledger.ts';
import type { LedgerRecord } from '../ledger/record.ts';

/**
 * The state shared by the members of a group in one process: a register per partition, the present
 * members, and the listeners.
 */
export interface MemoryStore {
  /** Returns the current record of the register. */
  current(partition: number): LedgerRecord | null;
  /**
   * Writes the record if `record.after` is current, and notifies the listeners. Returns whether it
   * did.
   */
  compareAndSet(record: LedgerRecord): boolean;
  /** Passes a lease request to all listeners. */
  requestLease(request: LeaseRequest): void;
  readonly present: ReadonlySet<string>;
  arrive(incarnation: string): void;
  leave(incarnation: string): void;
  /** Calls the listener on every change until disposed. */
  listen(listener: MemoryListener): Disposable;
}

interface MemoryListener {
  readonly written?: (record: LedgerRecord) => void;
  readonly leaseRequested?: (request: LeaseRequest) => void;
  readonly presence?: () => void;
}

export function memoryStore(): MemoryStore {
  const registers = new Map<number, LedgerRecord>();
  const present = new Set<string>();
  const listeners = new Set<MemoryListener>();
  return {
    present,
    current: (partition) => registers.get(partition) ?? null,
    compareAndSet(record) {
      if ((registers.get(record.partition)?.id ?? null) !== record.after) return false;
      registers.set(record.partition, record);
      for (const { written } of listeners) written?.(record);
      return true;
    },
    requestLease(request) {
      for (const { leaseRequested } of listeners) leaseRequested?.(request);
    },
    arrive(incarnation) {
      present.add(incarnation);
      for (const { presence } of listeners) presence?.();
    },
    leave(incarnation) {
      present.delete(incarnation);
      for (const { presence } of listeners) presence?.();
    },
    listen(listener) {
      listeners.add(listener);
      return { [Symbol.dispose]: () => void listeners.delete(listener) };
    },
  };
}
