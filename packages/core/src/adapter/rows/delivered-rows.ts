// Rows that notifications deliver. Such a row is not a reading: its sender is unknown, and it may
// be old. It is only used to claim a released lease one read earlier. The claim compares the whole
// text, so it takes effect only if the store really holds that release. Everything that a member
// would believe or give up because of a row is read from the store.

import { type Notifier, notifier } from '../../async/notifier.ts';
import { holderOf } from '../../ledger/record.ts';
import type { Clock } from '../../time/clock.ts';
import type { Instant } from '../../time/instant.ts';
import { type RegisterRow, succeeds } from './register-row.ts';
import type { DeliveredRow } from './rows.ts';

/**
 * Returns whether a delivered row may be reported to the engine without a read. `known` is the row
 * as the engine knows it, and `incarnation` is this member's.
 */
export type DeliveryRule = (row: RegisterRow, known: RegisterRow, incarnation: string) => boolean;

/**
 * Accepts a newer release that names no successor. A release to a successor is a ground for belief,
 * and every row over this member's own lease is a ground to end it: both are read from the store.
 */
export const deliveryRule: DeliveryRule = (row, known, incarnation) =>
  row.record?.kind === 'release' &&
  holderOf(row.record) === undefined &&
  holderOf(known.record)?.incarnation !== incarnation &&
  succeeds(row, known);

/** The delivered rows that wait for the reader. A flood of notifications ends in one read. */
const deliveredMax = 256;

/** Wakes the reader of a group when it should read, or take delivered rows. */
export class ReaderCalls {
  readonly #clock: Clock;
  readonly #notifier: Notifier;
  readonly #delivered = new Map<string, string>();
  #mustRead = false;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#notifier = notifier(clock);
  }

  /** Makes the reader read at once. */
  readonly read = (): void => {
    this.#mustRead = true;
    this.#notifier.notify();
  };

  /** Passes a row to the reader. */
  readonly deliver = ({ name, text }: DeliveredRow): void => {
    if (this.#delivered.size >= deliveredMax) return this.read();
    this.#delivered.set(name, text);
    this.#notifier.notify();
  };

  /**
   * Resolves when the reader should read, at `readAt` at the latest. Resolves with rows if some were
   * delivered and no read is due: a read would show them as well.
   */
  async next(readAt: Instant): Promise<ReadonlyMap<string, string> | 'read'> {
    await this.#notifier.until(readAt);
    const rows = new Map(this.#delivered);
    this.#delivered.clear();
    const isDue = this.#mustRead || rows.size === 0 || this.#clock.now() >= readAt;
    this.#mustRead = false;
    return isDue ? 'read' : rows;
  }
}
