import type {
  DeliveredRow,
  RowChange,
  RowOutcome,
  Rows,
  RowsOpening,
  RowsReading,
} from '../../src/adapter/rows/rows.ts';

/** Rows in memory, as any number of members share them. */
export interface MemoryRows {
  /** The current rows, which a test may change as an operator with a console can. */
  readonly texts: Map<string, string>;
  /** Every change that took effect, in order. */
  readonly changes: readonly {
    readonly name: string;
    readonly before: string | null;
    readonly text: string | null;
  }[];
  /** Returns the rows as one member reaches them. */
  member(faults?: RowsFaults): MemberRows;
}

/** Faults between one member and the store. Each function is called for every request. */
export interface RowsFaults {
  /** Runs instead of the request; calls `send` to send it, any number of times. */
  replace?(
    change: RowChange,
    send: () => RowOutcome,
    signal: AbortSignal,
  ): Promise<RowOutcome> | RowOutcome;
  /** Runs instead of the read. */
  list?(
    reading: RowsReading,
    send: () => ReadonlyMap<string, string>,
  ): Promise<ReadonlyMap<string, string>> | ReadonlyMap<string, string>;
  open?(opening: RowsOpening): Promise<void>;
}

/** The rows of one member, and what it has asked. */
export interface MemberRows extends Rows {
  /** For each opening: whether this member might create what is missing. */
  readonly opened: readonly boolean[];
  readonly reads: readonly RowsReading[];
  readonly sent: readonly RowChange[];
  /** Notifies this member that rows may have changed, or delivers one. */
  wake(row?: DeliveredRow): void;
  readonly isClosed: boolean;
}

export function memoryRows(): MemoryRows {
  const texts = new Map<string, string>();
  const changes: MemoryRows['changes'][number][] = [];
  const change = ({ name, expected, text }: RowChange): RowOutcome => {
    if (expected === null && text === null) throw new Error('no row is replaced by no row');
    const found = texts.get(name) ?? null;
    if (found !== expected) return { isDone: false, found };
    changes.push({ name, before: found, text });
    if (text === null) texts.delete(name);
    else texts.set(name, text);
    return { isDone: true };
  };
  return {
    texts,
    changes,
    member: (faults = {}) => memberRows(change, () => new Map(texts), faults),
  };
}

function memberRows(
  change: (asked: RowChange) => RowOutcome,
  list: () => ReadonlyMap<string, string>,
  faults: RowsFaults,
): MemberRows {
  const opened: boolean[] = [];
  const reads: RowsReading[] = [];
  const sent: RowChange[] = [];
  const wakers = new Set<(row?: DeliveredRow) => void>();
  let isClosed = false;
  return {
    name: 'rows in memory',
    opened,
    reads,
    sent,
    async open(opening) {
      opened.push(opening.mayCreate);
      await faults.open?.(opening);
    },
    async list(reading) {
      reads.push(reading);
      return faults.list === undefined ? list() : faults.list(reading, list);
    },
    async replace(asked, signal) {
      sent.push(asked);
      return faults.replace === undefined
        ? change(asked)
        : faults.replace(asked, () => change(asked), signal);
    },
    async listen(wake, signal) {
      wakers.add(wake);
      signal.addEventListener('abort', () => wakers.delete(wake), { once: true });
    },
    close() {
      isClosed = true;
    },
    wake(row) {
      for (const wake of wakers) wake(row);
    },
    get isClosed() {
      return isClosed;
    },
  };
}
