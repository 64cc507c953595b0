import { latest } from '../../src/flow/latest.ts';
import { queue } from '../../src/flow/queue.ts';
import type { Ledger, LedgerNews, Want, Written } from '../../src/ledger/ledger.ts';
import type { Placement, Ranks } from '../../src/ledger/placement.ts';
import { type LedgerRecord, pinRegister } from '../../src/ledger/record.ts';
import type { Clock } from '../../src/time/clock.ts';
import type { Instant } from '../../src/time/instant.ts';

/** A write as the store got it. Left alone, it is never answered. */
interface SteeredWrite {
  readonly record: LedgerRecord;
  readonly signal: AbortSignal;
  answer(written: Written): void;
  fail(error: unknown): void;
}

/** A store of one compare-and-set register per partition that a test may interfere with at every point. */
export interface SteeredLedger {
  readonly ledger: Ledger;
  readonly placement: Placement;
  readonly writes: SteeredWrite[];
  readonly asked: Want[];
  readonly rereads: number[];
  readonly standing: boolean[];
  readonly current: Map<number, LedgerRecord>;
  isClosed: boolean;
  /** Whether writes are compared and answered by themselves. */
  answers: boolean;
  /** No news come over the streams that are open, whatever happens; those opened later work. */
  isSilent: boolean;
  /** Requests to read a register again are lost. */
  losesRereads: boolean;
  tell(news: LedgerNews): void;
  want(want: Want & { readonly receivedAt: Instant }): void;
  rank(partition: number, ranks: Ranks): void;
  /** Replaces a call: what it does instead, usually throw. */
  readonly instead: {
    news?: () => AsyncIterable<LedgerNews>;
    write?: () => Promise<Written>;
    ask?: () => Promise<void>;
    asked?: () => AsyncIterable<Want & { readonly receivedAt: Instant }>;
    reread?: () => void;
    ranks?: () => AsyncIterable<ReadonlyMap<number, Ranks>>;
    holders?: () => void;
    standing?: () => void;
    close?: () => Promise<void>;
  };
}

export function steeredLedger(clock: Clock, incarnation: () => string): SteeredLedger {
  const news = queue<LedgerNews>();
  const wants = queue<Want & { readonly receivedAt: Instant }>();
  const ranks = latest<ReadonlyMap<number, Ranks>>();
  const told = new Map<number, Ranks>();
  const current = new Map<number, LedgerRecord>();
  const show = (partition: number): void => {
    const record = current.get(partition);
    if (record) news.push({ kind: 'record', record, receivedAt: clock.now() });
    news.push({ kind: 'end', partitions: [partition] });
  };
  const compare = (record: LedgerRecord): Written => {
    if ((current.get(record.partition)?.id ?? null) !== record.after) return 'refused';
    current.set(record.partition, record);
    news.push({ kind: 'record', record, receivedAt: clock.now() });
    return 'in-effect';
  };
  const steered: SteeredLedger = {
    writes: [],
    asked: [],
    rereads: [],
    standing: [],
    current,
    isClosed: false,
    answers: true,
    isSilent: false,
    losesRereads: false,
    instead: {},
    tell: (one) => news.push(one),
    want: (want) => wants.push(want),
    rank(partition, order) {
      told.set(partition, order);
      ranks.set(new Map(told));
    },
    ledger: {
      shape: 'register',
      news(partitions, signal) {
        if (steered.instead.news) return steered.instead.news();
        if (!steered.isSilent) partitions.forEach(show);
        return unlessSilent(steered, news.drain(signal));
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
        news.push({ kind: 'restarted', partition });
        show(partition);
      },
      wants: {
        ask(want) {
          steered.asked.push(want);
          return steered.instead.ask?.() ?? Promise.resolve();
        },
        asked: (signal) => steered.instead.asked?.() ?? wants.drain(signal),
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
      standing(on) {
        steered.standing.push(on);
        steered.instead.standing?.();
        if (on) for (const partition of [0, 1]) steered.rank(partition, [incarnation()]);
      },
    },
  };
  return steered;
}

/** A stream that gets stuck for good where its store is silent, as one does whose read is never answered. */
async function* unlessSilent(store: Pick<SteeredLedger, 'isSilent'>, news: AsyncIterable<LedgerNews>): AsyncGenerator<LedgerNews> {
  for await (const one of news) {
    if (store.isSilent) await new Promise(() => undefined);
    yield one;
  }
}

/** A record of another member, following what is current. */
export function strangers(record: LedgerRecord | undefined, change: Partial<LedgerRecord> = {}): LedgerRecord {
  const base = { group: 'g', partition: 0, member: 'stranger', incarnation: 'stranger-1', kind: 'hold', token: 5n, thresholdMs: 1000 };
  const id = `stranger/${change.height ?? (record?.height ?? -1) + 1}`;
  return { ...base, id, after: record?.id ?? null, height: (record?.height ?? -1) + 1, ...change };
}

/** The pin of a group with these options. */
export function pin(metadata: Record<string, string>): LedgerRecord {
  return strangers(undefined, { partition: pinRegister, kind: 'pin', id: 'stranger/pin', token: 0n, metadata });
}
