// What a member asks of the store: each request has a time limit of its own, and ends in an answer or in not knowing.
import type { Host } from '../contract/backend.ts';
import { within } from '../flow/within.ts';
import type { Ledger, Want } from './ledger.ts';
import type { LedgerRecord } from './record.ts';
import type { Outcome } from './register-driver.ts';
import type { LedgerRules } from './rules.ts';
import { type Troubles, writing } from './troubles.ts';

/** What requests are made of. */
export interface RequestParts {
  readonly rules: LedgerRules;
  readonly host: Host;
  readonly ledger: Ledger;
  readonly troubles: Troubles;
  /** This member's own. Milliseconds. */
  readonly thresholdMs: number;
  /** Nothing is asked, and nobody answered, once this aborts. */
  readonly signal: AbortSignal;
  /** An answer that came after its time: the record is current all the same, however slowly that became known. */
  readonly late: (record: LedgerRecord) => void;
  /** A want could not be sent. */
  readonly unasked: () => void;
}

/** The requests of one member. */
export class Requests {
  readonly #parts: RequestParts;

  constructor(parts: RequestParts) {
    this.#parts = parts;
  }

  /** Sends an attempt; `settled` hears what became of it, once. */
  write(record: LedgerRecord, settled: (outcome: Outcome) => void): void {
    const { rules, ledger, thresholdMs, troubles, signal, late } = this.#parts;
    const source = writing(record.partition);
    const answered = (outcome: Outcome): void => {
      troubles.confirm(source);
      settled(outcome);
    };
    const failed = (error: unknown): void => {
      if (signal.aborted) return;
      troubles.raise(source, error);
      settled('unknown');
    };
    const send = async (until: AbortSignal): Promise<Outcome> => {
      const outcome = await ledger.write(record, until);
      if (until.aborted && outcome === 'in-effect' && !signal.aborted) late(record);
      return outcome;
    };
    this.#within(rules.renewMs(thresholdMs), send, answered, failed);
  }

  /** Lets the holder know of a want, where the store can. */
  ask(want: Want): void {
    const { rules, ledger, troubles, signal, unasked } = this.#parts;
    const { wants } = ledger;
    if (wants === undefined) return;
    const asked = (): void => troubles.confirm('want');
    const failed = (error: unknown): void => {
      if (signal.aborted) return;
      troubles.raise('want', error);
      unasked();
    };
    this.#within(rules.wantMs(want.thresholdMs).every, (until) => wants.ask(want, until), asked, failed);
  }

  #within<T>(
    limitMs: number,
    call: (until: AbortSignal) => Promise<T>,
    answered: (answer: T) => void,
    failed: (error: unknown) => unknown,
  ): void {
    const { host, signal } = this.#parts;
    if (signal.aborted) return;
    within({ clock: host.clock, limitMs, until: signal }, call).then(answered, failed);
  }
}
