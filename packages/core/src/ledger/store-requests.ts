// The requests of one member to the store. A limited number run concurrently; each has its own time
// limit, which starts when it is sent, and ends with an answer or with an unknown outcome. The
// others wait in a queue, at most one write per register.

import { withTimeout } from '../async/with-timeout.ts';
import type { Host } from '../contract/backend.ts';
import { type HealthReporter, toLeadershipError } from '../engine/health-reporter.ts';
import { after } from '../time/instant.ts';
import type { LeaseRequest, Ledger } from './ledger.ts';
import type { LedgerRules } from './protocol/rules.ts';
import type { Outcome } from './protocol/state.ts';
import type { LedgerRecord } from './record.ts';
import type { TokenFloorDriver } from './token-floor-driver.ts';

/** The number of concurrent requests if the ledger does not set one. */
const requestsMaxDefault = 64;

/** The dependencies of `Requests`. */
export interface RequestParts {
  readonly rules: LedgerRules;
  readonly host: Host;
  readonly ledger: Ledger;
  /** Raises the floor to the token of a new term, if the ledger has one (T1). */
  readonly floor: Pick<TokenFloorDriver, 'raise'> | undefined;
  readonly health: HealthReporter;
  /** T of this member. Milliseconds. */
  readonly thresholdMs: number;
  /** Once this aborts, no request is sent and no outcome is reported. */
  readonly signal: AbortSignal;
  /**
   * Reports a confirmation that arrived after the time limit. The record is current nevertheless.
   */
  readonly late: (record: LedgerRecord) => void;
}

/**
 * Receives the outcome of a write. `unsent`: a later write over the same register replaced it in
 * the queue, or it was no longer wanted.
 */
export type Settled = (outcome: Outcome | 'unsent') => void;

/** A record to write, and how. */
export interface WriteRequest {
  readonly record: LedgerRecord;
  /** Whether a term, or a member that waits for its end, depends on the write. */
  readonly isUrgent: boolean;
  /** Whether the floor is raised to the record's token before the record is sent (T1). */
  readonly raisesFloor?: boolean;
  /** Returns whether a write that was delayed should still be sent. Default: always. */
  readonly isWanted?: () => boolean;
}

interface Waiting {
  /** Never rejects. */
  readonly send: () => Promise<void>;
  readonly drop: () => void;
  readonly isWanted: () => boolean;
}

/**
 * The largest fraction of concurrent requests that may be lease requests. Lease requests may use a different
 * transport than writes and hang independently.
 */
const leaseRequestsShareMax = 1 / 2;

const always = (): boolean => true;

/** A queue by register, the oldest first. An entry that replaces another keeps its place. */
type RequestQueue = Map<number, Waiting>;

/** Sends the requests of one member. */
export class Requests {
  readonly #parts: RequestParts;
  readonly #requestsMax: number;
  /**
   * Requests that are sent first: a current term would expire without them, or another member waits
   * for them.
   */
  readonly #urgent: RequestQueue = new Map();
  readonly #claims: RequestQueue = new Map();
  readonly #leaseRequests: RequestQueue = new Map();
  #inFlight = 0;
  /** The number of lease requests among the requests in flight. */
  #leaseRequestsInFlight = 0;

  constructor(parts: RequestParts) {
    this.#parts = parts;
    this.#requestsMax = parts.ledger.requestsMax ?? requestsMaxDefault;
  }

  /**
   * Sends an attempt. Calls `settled` once with the outcome. Drops the attempt if it was queued and
   * `isWanted` returns false when its turn comes.
   */
  write(request: WriteRequest, settled: Settled): void {
    const { rules, thresholdMs, signal } = this.#parts;
    const { record, isUrgent, isWanted = always } = request;
    const { partition } = record;
    const topic = writing(partition);
    const answered = (outcome: Outcome | 'unsent'): void => {
      if (outcome !== 'unsent') this.#answered(topic);
      settled(outcome);
    };
    const failed = (error: unknown): void => {
      if (signal.aborted) return;
      this.#failed(topic, error);
      settled('unknown');
    };
    const [queue, other] = isUrgent ? [this.#urgent, this.#claims] : [this.#claims, this.#urgent];
    other.get(partition)?.drop();
    other.delete(partition);
    const send = (): Promise<void> =>
      this.#within(rules.renewMs(thresholdMs), (until) => this.#put(request, until)).then(
        answered,
        failed,
      );
    this.#enqueue(queue, partition, { send, drop: () => settled('unsent'), isWanted });
  }

  /** Raises the floor if the record begins a term, then writes the record. */
  async #put(
    { record, raisesFloor, isWanted = always }: WriteRequest,
    until: AbortSignal,
  ): Promise<Outcome | 'unsent'> {
    const { ledger, floor, signal, late } = this.#parts;
    if (raisesFloor && floor) {
      await floor.raise(record.token);
      if (until.aborted || !isWanted()) return 'unsent';
    }
    const outcome = await ledger.write(record, until);
    if (until.aborted && outcome === 'in-effect' && !signal.aborted) late(record);
    return outcome;
  }

  /**
   * Sends a lease request, if the store supports lease requests. Drops it if it was queued and `isWanted` returns
   * false when its turn comes.
   */
  requestLease(request: LeaseRequest, isWanted: () => boolean): void {
    const { rules, ledger, signal } = this.#parts;
    const { leaseRequests } = ledger;
    if (leaseRequests === undefined) return;
    const answered = (): void => this.#answered('lease request');
    const failed = (error: unknown): void => {
      if (!signal.aborted) this.#failed('lease request', error);
    };
    const limitMs = rules.requestMs(request.thresholdMs).every;
    const send = async (): Promise<void> => {
      this.#leaseRequestsInFlight += 1;
      await this.#within(limitMs, (until) => leaseRequests.send(request, until)).then(
        answered,
        failed,
      );
      this.#leaseRequestsInFlight -= 1;
    };
    this.#enqueue(this.#leaseRequests, request.partition, {
      send,
      drop: () => undefined,
      isWanted,
    });
  }

  #answered(topic: string): void {
    this.#parts.health.confirm(topic);
  }

  /**
   * Reports a failure. The trouble ends if the request is not repeated: one that is still needed is
   * repeated within T (L4, L7).
   */
  #failed(topic: string, error: unknown): void {
    const { host, thresholdMs, health, ledger } = this.#parts;
    health.raise(
      topic,
      toLeadershipError(error, ledger.name),
      after(host.clock.now(), thresholdMs),
    );
  }

  #enqueue(queue: RequestQueue, key: number, waiting: Waiting): void {
    if (this.#parts.signal.aborted) return;
    queue.get(key)?.drop();
    queue.set(key, waiting);
    this.#sendNext();
  }

  #sendNext(): void {
    while (this.#inFlight < this.#requestsMax && !this.#parts.signal.aborted) {
      const next = shift(this.#urgent) ?? this.#nextLeaseRequest() ?? shift(this.#claims);
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

  #nextLeaseRequest(): Waiting | undefined {
    return this.#leaseRequestsInFlight < leaseRequestsShareMax * this.#requestsMax
      ? shift(this.#leaseRequests)
      : undefined;
  }

  #within<T>(limitMs: number, call: (until: AbortSignal) => Promise<T>): Promise<T> {
    const { host, signal } = this.#parts;
    return withTimeout({ clock: host.clock, limitMs, signal }, call);
  }
}

function shift(queue: RequestQueue): Waiting | undefined {
  const [first] = queue;
  if (first === undefined) return undefined;
  queue.delete(first[0]);
  return first[1];
}

/** Returns the topic of troubles with writes to one register. */
export function writing(partition: number): string {
  return `write ${partition}`;
}
