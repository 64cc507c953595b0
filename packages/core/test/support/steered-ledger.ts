import { latestValue } from '../../src/async/latest-value.ts';
import { asyncQueue } from '../../src/async/queue.ts';
import type { LeaseRequest, Ledger, LedgerEvent, WriteOutcome } from '../../src/ledger/ledger.ts';
import type { Placement, Ranks } from '../../src/ledger/placement.ts';
import { type LedgerRecord, pinRegister } from '../../src/ledger/record.ts';
import type { Clock } from '../../src/time/clock.ts';
import type { Instant } from '../../src/time/instant.ts';

/** A write that reached the store. It is not answered unless the test answers it. */
interface SteeredWrite {
  readonly record: LedgerRecord;
  readonly signal: AbortSignal;
  answer(written: WriteOutcome): void;
  fail(error: unknown): void;
}

/**
 * A store with one compare-and-set register per partition. A test can interfere with it at every
 * point.
 */
export interface SteeredLedger {
  readonly ledger: Ledger;
  readonly placement: Placement;
  readonly writes: SteeredWrite[];
  /** The lease requests that the member sent. */
  readonly requests: LeaseRequest[];
  readonly rereads: number[];
  readonly candidacies: boolean[];
  readonly current: Map<number, LedgerRecord>;
  isClosed: boolean;
  /** Whether the store compares and answers writes by itself. */
  answers: boolean;
  /** Whether the open streams yield no more events. Streams that are opened later work. */
  isSilent: boolean;
  /** Whether requests to read a register again are lost. */
  losesRereads: boolean;
  deliver(events: LedgerEvent): void;
  /** Passes another member's lease request to the member. */
  receive(request: LeaseRequest & { readonly receivedAt: Instant }): void;
  rank(partition: number, ranks: Ranks): void;
  /** Replacements for calls, usually functions that throw. */
  readonly instead: {
    events?: () => AsyncIterable<LedgerEvent>;
    write?: () => Promise<WriteOutcome>;
    sendRequest?: () => Promise<void>;
    receivedRequests?: () => AsyncIterable<LeaseRequest & { readonly receivedAt: Instant }>;
    reread?: () => void;
    ranks?: () => AsyncIterable<ReadonlyMap<number, Ranks>>;
    holders?: () => void;
    setCandidate?: () => void;
    close?: () => Promise<void>;
  };
}

export function steeredLedger(clock: Clock, incarnation: () => string): SteeredLedger {
  const events = asyncQueue<LedgerEvent>();
  const received = asyncQueue<LeaseRequest & { readonly receivedAt: Instant }>();
  const ranks = latestValue<ReadonlyMap<number, Ranks>>();
  const reported = new Map<number, Ranks>();
  const current = new Map<number, LedgerRecord>();
  const show = (partition: number): void => {
    const record = current.get(partition);
    if (record) events.push({ kind: 'record', record, receivedAt: clock.now() });
    events.push({ kind: 'end', partitions: [partition] });
  };
  const compare = (record: LedgerRecord): WriteOutcome => {
    if ((current.get(record.partition)?.id ?? null) !== record.after) return 'refused';
    current.set(record.partition, record);
    events.push({ kind: 'record', record, receivedAt: clock.now() });
    return 'in-effect';
  };
  const steered: SteeredLedger = {
    writes: [],
    requests: [],
    rereads: [],
    candidacies: [],
    current,
    isClosed: false,
    answers: true,
    isSilent: false,
    losesRereads: false,
    instead: {},
    deliver: (one) => events.push(one),
    receive: (request) => received.push(request),
    rank(partition, order) {
      reported.set(partition, order);
      ranks.set(new Map(reported));
    },
    ledger: {
      shape: 'register',
      events(partitions, signal) {
        if (steered.instead.events) return steered.instead.events();
        if (!steered.isSilent) partitions.forEach(show);
        return unlessSilent(steered, events.drain(signal));
      },
      write(record, signal) {
        if (steered.instead.write) return steered.instead.write();
        return new Promise((resolve, reject) => {
          steered.writes.push({ record, signal, answer: resolve, fail: reject });
          if (steered.answers) resolve(compare(record));
        });
      },
      reread(partition) {
        steered.rereads.push(partition);
        steered.instead.reread?.();
        if (steered.losesRereads) return;
        events.push({ kind: 'restarted', partition });
        show(partition);
      },
      leaseRequests: {
        send(request) {
          steered.requests.push(request);
          return steered.instead.sendRequest?.() ?? Promise.resolve();
        },
        received: (signal) => steered.instead.receivedRequests?.() ?? received.drain(signal),
      },
      async close() {
        steered.isClosed = true;
        await steered.instead.close?.();
      },
    },
    placement: {
      ranks(signal) {
        return steered.instead.ranks?.() ?? ranks.follow(signal);
      },
      holders: () => steered.instead.holders?.(),
      setCandidate(on) {
        steered.candidacies.push(on);
        steered.instead.setCandidate?.();
        if (on) for (const partition of [0, 1]) steered.rank(partition, [incarnation()]);
      },
    },
  };
  return steered;
}

/**
 * A stream that gets stuck for good while its store is silent, like a read that is never answered.
 */
async function* unlessSilent(
  store: Pick<SteeredLedger, 'isSilent'>,
  events: AsyncIterable<LedgerEvent>,
): AsyncGenerator<LedgerEvent> {
  for await (const one of events) {
    if (store.isSilent) await new Promise(() => undefined);
    yield one;
  }
}

/** Returns a record of another member that follows the current one. */
export function strangers(
  record: LedgerRecord | undefined,
  change: Partial<LedgerRecord> = {},
): LedgerRecord {
  const base = {
    group: 'g',
    partition: 0,
    member: 'stranger',
    incarnation: 'stranger-1',
    kind: 'hold',
    token: 5n,
    thresholdMs: 1000,
  };
  const id = `stranger/${change.height ?? (record?.height ?? -1) + 1}`;
  return { ...base, id, after: record?.id ?? null, height: (record?.height ?? -1) + 1, ...change };
}

/** Returns the pin of a group with these options. */
export function pin(metadata: Record<string, string>): LedgerRecord {
  return strangers(undefined, {
    partition: pinRegister,
    kind: 'pin',
    id: 'stranger/pin',
    token: 0n,
    metadata,
  });
}
