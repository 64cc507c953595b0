// Keeps the leases of a group in the rows of a store: one row holds one partition's lease.
import { LeadershipError } from '../../contract/leadership-error.ts';
import { balanced } from '../../ledger/balanced.ts';
import type { Ledger, LedgerEvent, WriteOutcome } from '../../ledger/ledger.ts';
import type { LedgerParts, Presence } from '../../ledger/placement.ts';
import type { LedgerRecord } from '../../ledger/record.ts';
import { type DeliveryRule, deliveryRule, ReaderCalls } from './delivered-rows.ts';
import { type Following, followRegisters } from './follow-registers.ts';
import { type RowLeaseRequests, rowLeaseRequests } from './lease-requests.ts';
import { registerRowName } from './names.ts';
import { rowPresence } from './presence.ts';
import { RegisterReader } from './register-reader.ts';
import { type RegisterRow, recordText } from './register-row.ts';
import type { DeliveredRow, Rows } from './rows.ts';
import { tableMembers } from './table-members.ts';
import type { TableLedgerOptions } from './table-options.ts';
import {
  readingMsMax,
  type TableHost,
  type TableStore,
  tableStore,
  textAfter,
} from './table-store.ts';

/**
 * The ledger over the rows of a group, and the placement that follows the presence of its members.
 */
export interface TableParts extends LedgerParts {
  /** The presence that the placement follows. */
  readonly presence: Presence;
}

/**
 * Creates the ledger over the rows of one group. It adds what a store of rows does not know:
 * registers with a life of their own, the pin, lease requests, the presence of members, and polling
 * with notifications. One read per poll returns all of it.
 */
export function tableLedger(rows: Rows, options: TableLedgerOptions, host: TableHost): TableParts {
  return tableLedgerUnder(deliveryRule, rows, options, host);
}

/**
 * Creates the same ledger with another rule for delivered rows. Tests use it to show the effect of
 * a missing rule.
 */
export function tableLedgerUnder(
  mayDeliver: DeliveryRule,
  rows: Rows,
  options: TableLedgerOptions,
  host: TableHost,
): TableParts {
  const store = tableStore(rows, options, host, mayDeliver);
  const { incarnation, clock, random } = host;
  const { pollMs, thresholdMs } = store;
  const ledger = new TableLedger(store);
  const presence = rowPresence(tableMembers(store, 'member'));
  const backOff = { firstMs: pollMs, lastMs: thresholdMs, random };
  const placement = balanced(presence, {
    incarnation,
    partitions: options.partitions,
    clock,
    backOff,
  });
  return { ledger, presence, placement };
}

/**
 * A member with a pending lease request reads this much more often: its next read ends the
 * hand-over.
 */
const requestingFactor = 1 / 4;
/** The factor on the poll interval of an observer: no lease waits for it. */
const observingFactor = 2;

class TableLedger implements Ledger {
  readonly shape = 'register';
  readonly name: string;
  readonly deliverySpreadMs: number;
  readonly leaseRequests: RowLeaseRequests;
  readonly #store: TableStore;
  readonly #calls: ReaderCalls;
  readonly #reported = new Map<number, RegisterRow | undefined>();
  #reader: RegisterReader | undefined;
  /** Whether everything exists that the rows need: an observer opens them without creating it. */
  #isCreated = false;
  #isClosed = false;

  constructor(store: TableStore) {
    this.deliverySpreadMs = readingMsMax(store.pollMs);
    this.name = store.rows.name;
    this.#store = store;
    this.#calls = new ReaderCalls(store.clock);
    // The reader polls faster from now on, until the request is granted.
    const requests = tableMembers(store, 'lease-request');
    this.leaseRequests = rowLeaseRequests(requests, this.#calls.read);
  }

  setCandidate(isCandidate: boolean): void {
    if (this.#store.isCandidate === isCandidate) return;
    this.#store.isCandidate = isCandidate;
    // A new candidate creates at once what is missing.
    if (isCandidate) this.#calls.read();
  }

  async *events(registers: readonly number[], signal: AbortSignal): AsyncGenerator<LedgerEvent> {
    const { rows, inFlight } = this.#store;
    const { read, deliver } = this.#calls;
    const over = new AbortController();
    signal.addEventListener('abort', read, { once: true });
    try {
      await inFlight.track(this.#open(signal));
      if (this.#isOver(signal)) return;
      // Listen beside the first read, not before it: the election must work without notifications.
      const wake = (row?: DeliveredRow): void => (row === undefined ? read() : deliver(row));
      const beside =
        rows.listen?.(wake, AbortSignal.any([signal, over.signal])) ?? Promise.resolve();
      this.#reader = new RegisterReader(this.#store, (until) => this.#create(until), registers);
      yield* followRegisters(this.#reader, this.#store, this.#following(beside), signal);
    } finally {
      over.abort();
      signal.removeEventListener('abort', read);
    }
  }

  async write(record: LedgerRecord, signal: AbortSignal): Promise<WriteOutcome> {
    const { rows, inFlight } = this.#store;
    const { partition } = record;
    if (this.#isClosed) throw new LeadershipError('closed', `${rows.name}: the ledger is closed`);
    const known = this.#reported.get(partition);
    if (known === undefined)
      throw new LeadershipError(
        'unreachable',
        `${rows.name}: partition ${partition} has not been read yet`,
      );
    const next = this.#next(record, known);
    const written =
      (known.record?.id ?? null) === record.after &&
      (await inFlight.track(this.#replace(record, known, next, signal)));
    if (written) {
      // The engine may have received a newer row meanwhile, because the register may have been
      // recreated.
      if (this.#reported.get(partition) === known) this.#reported.set(partition, next);
      return 'in-effect';
    }
    // The write lost to a record that this member has not read yet.
    this.#calls.read();
    return 'refused';
  }

  reread(partition: number): void {
    this.#reader?.forget(partition);
    this.#calls.read();
  }

  async close(): Promise<void> {
    const { inFlight, clock, thresholdMs, rows } = this.#store;
    this.#isClosed = true;
    this.#calls.read();
    await this.leaseRequests.close();
    await inFlight.settled(clock, thresholdMs);
    await rows.close();
  }

  async #open(signal: AbortSignal): Promise<void> {
    const { rows, isCandidate: mayCreate } = this.#store;
    this.#isCreated = false;
    await rows.open?.({ signal, mayCreate });
    this.#isCreated = mayCreate;
  }

  async #create(signal: AbortSignal): Promise<void> {
    if (!this.#isCreated) await this.#open(signal);
  }

  #isOver(signal: AbortSignal): boolean {
    return this.#isClosed || signal.aborted;
  }

  #following(beside: Promise<void>): Following {
    return {
      calls: this.#calls,
      isOver: () => this.#isClosed,
      reported: this.#reported,
      periodMs: () => this.#periodMs(),
      beside,
    };
  }

  #periodMs(): number {
    const { pollMs } = this.#store;
    if (!this.#store.isCandidate) return observingFactor * pollMs;
    return this.leaseRequests.isPending() ? requestingFactor * pollMs : pollMs;
  }

  /** Returns the row that this record makes of `known`. */
  #next(record: LedgerRecord, known: RegisterRow): RegisterRow {
    const { life } = known;
    return {
      life,
      record,
      text: recordText(life, record, this.#store.options.agreement?.values ?? {}),
      isStrange: false,
    };
  }

  /** Returns whether `next` has replaced `known`. Rejects if that is unknown. */
  async #replace(
    { partition, kind }: LedgerRecord,
    known: RegisterRow,
    next: RegisterRow,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { rows } = this.#store;
    const name = registerRowName(partition);
    // Other members may be waiting for a released lease.
    const change = { name, expected: known.text, text: next.text, isAwaited: kind === 'release' };
    const outcome = await rows.replace(change, signal);
    // A retry below this ledger can lose to its own first attempt. Then the row holds this text.
    const text = await textAfter(this.#store, change, outcome, signal);
    if (text === known.text)
      throw new LeadershipError(
        'unreachable',
        `${rows.name}: the store does not replace "${name}", although it holds the expected text: a trigger or a proxy may prevent the change`,
      );
    return text === next.text;
  }
}
