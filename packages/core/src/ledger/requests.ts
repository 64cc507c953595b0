// What a member asks of the store: so many requests at once, each with a time limit of its own, which begins when it is sent.
// Each ends in an answer or in not knowing. The others wait in a queue, at most one write for each register.
import type { Host } from '../contract/backend.ts';
import { within } from '../flow/within.ts';
import { after, type Instant, never } from '../time/instant.ts';
import type { Ledger, Want } from './ledger.ts';
import type { LedgerRecord } from './record.ts';
import type { Outcome } from './register-driver.ts';
import type { LedgerRules } from './rules.ts';
import { type Troubles, writing } from './troubles.ts';

/** How many requests are sent at once where the ledger does not say. */
const requestsMaxDefault = 64;

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
  /** `check` is to be called then. */
  readonly checkAt: (at: Instant) => void;
}

/** What became of a write; `unsent` where a later write over the same register took its place in the queue, or it was not wanted any more. */
export type Settled = (outcome: Outcome | 'unsent') => void;

interface Waiting {
  /** Never rejects. */
  readonly send: () => Promise<void>;
  readonly drop: () => void;
  readonly isWanted: () => boolean;
}

/** How much of all that is sent at once wants may be: they may travel another way than writes, which hangs by itself. */
const wantsShareMax = 1 / 2;

const always = (): boolean => true;

/** What waits, by what it is for, the longest first. What replaces another takes its place. */
type Line = Map<number, Waiting>;

/** The requests of one member. */
export class Requests {
  readonly #parts: RequestParts;
  readonly #requestsMax: number;
  /** Those that a running term depends on go first: what another member waits for, or what would expire. */
  readonly #urgent: Line = new Map();
  readonly #claims: Line = new Map();
  readonly #wants: Line = new Map();
  #inFlight = 0;
  /** Those among them that are wants. */
  #asking = 0;
  /** By source of trouble, the earliest first: when a request that failed would have been repeated, if it was still needed. */
  readonly #repeatedBy = new Map<string, Instant>();

  constructor(parts: RequestParts) {
    this.#parts = parts;
    this.#requestsMax = parts.ledger.requestsMax ?? requestsMaxDefault;
  }

  /** Sends an attempt, unless it had to wait, and is not wanted by then; `settled` hears what became of it, once. */
  write(record: LedgerRecord, isUrgent: boolean, settled: Settled, isWanted: () => boolean = always): void {
    const { rules, ledger, thresholdMs, signal, late } = this.#parts;
    const { partition } = record;
    const source = writing(partition);
    const answered = (outcome: Outcome): void => {
      this.#answered(source);
      settled(outcome);
    };
    const failed = (error: unknown): void => {
      if (signal.aborted) return;
      this.#failed(source, error);
      settled('unknown');
    };
    const call = async (until: AbortSignal): Promise<Outcome> => {
      const outcome = await ledger.write(record, until);
      if (until.aborted && outcome === 'in-effect' && !signal.aborted) late(record);
      return outcome;
    };
    const [line, other] = isUrgent ? [this.#urgent, this.#claims] : [this.#claims, this.#urgent];
    other.get(partition)?.drop();
    other.delete(partition);
    const send = (): Promise<void> => this.#within(rules.renewMs(thresholdMs), call).then(answered, failed);
    this.#enqueue(line, partition, { send, drop: () => settled('unsent'), isWanted });
  }

  /** Lets the holder know of a want, where the store can, unless it had to wait, and is not wanted by then. */
  ask(want: Want, isWanted: () => boolean): void {
    const { rules, ledger, signal } = this.#parts;
    const { wants } = ledger;
    if (wants === undefined) return;
    const asked = (): void => this.#answered('want');
    const failed = (error: unknown): void => {
      if (!signal.aborted) this.#failed('want', error);
    };
    const limitMs = rules.wantMs(want.thresholdMs).every;
    const send = async (): Promise<void> => {
      this.#asking += 1;
      await this.#within(limitMs, (until) => wants.ask(want, until)).then(asked, failed);
      this.#asking -= 1;
    };
    this.#enqueue(this.#wants, want.partition, { send, drop: () => undefined, isWanted });
  }

  /** Ends the troubles of requests that failed and were not repeated within T: a request that is still needed is repeated sooner (L4, L7). */
  check(): void {
    const now = this.#parts.host.clock.now();
    for (const [source, at] of this.#repeatedBy) {
      if (at > now) break;
      this.#repeatedBy.delete(source);
      this.#parts.troubles.mend(source);
    }
    this.#checkNext();
  }

  #answered(source: string): void {
    this.#repeatedBy.delete(source);
    this.#parts.troubles.confirm(source);
  }

  #failed(source: string, error: unknown): void {
    const { host, thresholdMs, troubles } = this.#parts;
    troubles.raise(source, error);
    this.#repeatedBy.delete(source);
    this.#repeatedBy.set(source, after(host.clock.now(), thresholdMs));
    this.#checkNext();
  }

  #checkNext(): void {
    const [first = never] = this.#repeatedBy.values();
    this.#parts.checkAt(first);
  }

  #enqueue(line: Line, key: number, waiting: Waiting): void {
    if (this.#parts.signal.aborted) return;
    line.get(key)?.drop();
    line.set(key, waiting);
    this.#sendNext();
  }

  #sendNext(): void {
    while (this.#inFlight < this.#requestsMax && !this.#parts.signal.aborted) {
      const next = shift(this.#urgent) ?? this.#nextWant() ?? shift(this.#claims);
      if (next === undefined) return;
      if (!next.isWanted()) {
        next.drop();
        continue;
      }
      this.#inFlight += 1;
      void next.send().finally(() => {
        this.#inFlight -= 1;
        this.#sendNext();
      });
    }
  }

  #nextWant(): Waiting | undefined {
    return this.#asking < wantsShareMax * this.#requestsMax ? shift(this.#wants) : undefined;
  }

  #within<T>(limitMs: number, call: (until: AbortSignal) => Promise<T>): Promise<T> {
    const { host, signal } = this.#parts;
    return within({ clock: host.clock, limitMs, until: signal }, call);
  }
}

function shift(line: Line): Waiting | undefined {
  const [first] = line;
  if (first === undefined) return undefined;
  line.delete(first[0]);
  return first[1];
}
