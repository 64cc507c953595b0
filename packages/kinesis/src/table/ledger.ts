import { LeadershipError } from '@leadership/core';
import type { Ledger, LedgerNews, LedgerRecord, WriteOutcome } from '@leadership/core/adapter';
import { sleep } from '@leadership/core/adapter';
import { type Notifier, notifier } from '@leadership/core/internal';
import { isThrottled } from '../errors.ts';
import { type Following, follow } from './follow.ts';
import { type TableLeaseRequests, tableLeaseRequests } from './lease-requests.ts';
import type { Notifications } from './notifications.ts';
import { prepare } from './prepare.ts';
import { put } from './put.ts';
import { Reader, type Reading } from './reader.ts';
import type { Row } from './row.ts';
import type { Store } from './store.ts';

/** The configuration of the ledger that is not part of the store. */
export interface TableLedgerOptions extends Reading {
  readonly homeRegion: string | undefined;
  /** Whether this member creates a missing table. */
  readonly create: boolean;
  readonly notifications: Notifications;
  /** Closes the connections, once no request is pending. */
  readonly close: () => void;
}

/**
 * The longest extra pause after a throttled write, in T. The pause is random, so that writers that
 * were throttled together do not retry together. The engine itself retries after T/12.
 */
const throttledThresholds = 1 / 24;

/** Creates a ledger in a DynamoDB table: one item per register. */
export function tableLedger(store: Store, options: TableLedgerOptions): Ledger {
  return new TableLedger(store, options);
}

class TableLedger implements Ledger {
  readonly shape = 'register';
  readonly newsSpreadMs: number;
  readonly leaseRequests: TableLeaseRequests;
  readonly #store: Store;
  readonly #options: TableLedgerOptions;
  readonly #stirring: Notifier;
  readonly #heard = new Map<number, Row | undefined>();
  #reader: Reader | undefined;
  #amiss: Disposable | undefined;
  #isClosed = false;

  constructor(store: Store, options: TableLedgerOptions) {
    this.newsSpreadMs = store.pollMs;
    this.#store = store;
    this.#options = options;
    this.#stirring = notifier(store.clock);
    const wake = (): void => {
      options.notifications.notify();
      // The reader polls faster from now on, until the request is granted.
      this.#stirring.notify();
    };
    this.leaseRequests = tableLeaseRequests(store, { notify: wake });
  }

  async *news(registers: readonly number[], signal: AbortSignal): AsyncGenerator<LedgerNews> {
    const { notify: ring } = this.#stirring;
    const over = new AbortController();
    signal.addEventListener('abort', ring, { once: true });
    try {
      await this.#prepare(signal);
      if (this.#isClosed || signal.aborted) return;
      // Listen beside the first read, not before it: the election must work without the stream.
      const beside = this.#options.notifications.listen(
        ring,
        AbortSignal.any([signal, over.signal]),
      );
      this.#reader = new Reader(this.#store, this.#options, registers);
      yield* follow(this.#reader, this.#store, this.#following(beside), signal);
    } finally {
      over.abort();
      signal.removeEventListener('abort', ring);
    }
  }

  async write(record: LedgerRecord, signal: AbortSignal): Promise<WriteOutcome> {
    const { table, busy } = this.#store;
    if (this.#isClosed)
      throw new LeadershipError('closed', `table "${table.name}": the ledger is closed`);
    const told = this.#heard.get(record.partition);
    try {
      const outcome = await busy.track(put(this.#store, record, told, signal));
      const { written } = outcome;
      if (outcome.written === 'in-effect') this.#hear(record.partition, told, outcome.row);
      // The write lost to a record that this member has not read yet.
      if (written === 'refused') this.#stirring.notify();
      // Other members may be waiting for the released lease.
      if (written === 'in-effect' && record.kind === 'release')
        this.#options.notifications.notify();
      return written;
    } catch (error) {
      if (isThrottled((error as LeadershipError).cause)) await this.#yieldToOthers(signal);
      throw error;
    }
  }

  reread(partition: number): void {
    this.#reader?.forget(partition);
    this.#stirring.notify();
  }

  async close(): Promise<void> {
    const { busy, clock, thresholdMs } = this.#store;
    this.#isClosed = true;
    this.#stirring.notify();
    await this.leaseRequests.close();
    await busy.settled(clock, thresholdMs);
    this.#options.notifications.close();
    this.#amiss?.[Symbol.dispose]();
    this.#options.close();
  }

  #following(beside: Promise<void>): Following {
    const isOver = (): boolean => this.#isClosed;
    return {
      bell: this.#stirring,
      isOver,
      heard: this.#heard,
      observes: !this.#options.begins,
      beside,
    };
  }

  async #prepare(signal: AbortSignal): Promise<void> {
    const { table, clock, busy, host, thresholdMs, openingMs } = this.#store;
    const { partitions, homeRegion, create } = this.#options;
    const patience = { clock, limitMs: openingMs, signal };
    const shortcoming = await busy.track(
      prepare(table, { use: { partitions, thresholdMs, homeRegion }, create, patience }),
    );
    this.#amiss?.[Symbol.dispose]();
    this.#amiss =
      shortcoming === undefined || this.#isClosed
        ? undefined
        : host.warning('misconfigured-backend', shortcoming);
  }

  /**
   * Records the row that the next write must replace. If the item was unreadable and had no life,
   * only its writer knows its new life. The row is left alone if the engine has received a newer
   * one meanwhile, because the register may have been recreated.
   */
  #hear(partition: number, told: Row | undefined, row: Row): void {
    if (this.#heard.get(partition) === told) this.#heard.set(partition, row);
  }

  async #yieldToOthers(signal: AbortSignal): Promise<void> {
    const { clock, host, thresholdMs } = this.#store;
    await sleep(clock, throttledThresholds * thresholdMs * host.random(), signal);
  }
}
