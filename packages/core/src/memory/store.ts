import type { Want } from '../ledger/ledger.ts';
import type { LedgerRecord } from '../ledger/record.ts';

/** What members of a group in one process share: a register per partition, who is there, and who is told of changes. */
export interface MemoryStore {
  /** What is current in the register. */
  current(partition: number): LedgerRecord | null;
  /** Writes where `record.after` is current, and tells everyone. */
  compareAndSet(record: LedgerRecord): boolean;
  /** Passes a want on to everyone. */
  ask(want: Want): void;
  readonly present: ReadonlySet<string>;
  arrive(incarnation: string): void;
  leave(incarnation: string): void;
  /** Hears of everything until disposed. */
  listen(listener: MemoryListener): Disposable;
}

interface MemoryListener {
  readonly written?: (record: LedgerRecord) => void;
  readonly asked?: (want: Want) => void;
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
    ask(want) {
      for (const { asked } of listeners) asked?.(want);
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
