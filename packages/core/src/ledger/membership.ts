// The ledger engine: one register driver per partition and one for the pin. Their inputs are the
// store's news, the placement's ranks and other members' wants; one timer wakes them.

import { coalesce } from '../async/coalesce.ts';
import { follow } from '../async/follow.ts';
import type { BackOff } from '../async/retry.ts';
import type { Host, Membership } from '../contract/backend.ts';
import { LeadershipError } from '../contract/leadership-error.ts';
import type { ResolvedOptions } from '../contract/resolved-options.ts';
import { Troubles, toLeadershipError, writing } from '../engine/troubles.ts';
import { manyListeners } from '../process/many-listeners.ts';
import { type Alarm, alarm } from '../time/alarm.ts';
import { after, type Instant, never } from '../time/instant.ts';
import type { LeaseRequest, Ledger } from './ledger.ts';
import { memberConfig } from './member-config.ts';
import { NewsStream, type RegisterNews } from './news-stream.ts';
import { PinDriver } from './pin-driver.ts';
import {
  type Holding,
  isSameRanks,
  type LedgerParts,
  type Placement,
  type Ranks,
} from './placement.ts';
import type { LedgerRules } from './protocol/rules.ts';
import type { PartitionState } from './protocol/state.ts';
import { type LedgerRecord, pinRegister } from './record.ts';
import { RegisterDriver, wakesPerTurn } from './register-driver.ts';
import { Requests, type Settled, type WriteRequest } from './store-requests.ts';
import { TokenFloorDriver, type TokenFloorParts } from './token-floor-driver.ts';

/**
 * How long a violated assumption stays in `health()`, in T: long enough for a health probe to see
 * it.
 */
const brokenShownThresholds = 10;
/**
 * Sources of trouble that end after a time. Each has its own wake-up, numbered after those of the
 * partitions and the pin.
 */
const mendable = ['broken', 'placement', 'wants'] as const;

/** Starts this member's part in the election over the store's registers. */
export function ledgerMembership(
  rules: LedgerRules,
  options: ResolvedOptions,
  parts: LedgerParts,
  host: Host,
): Membership {
  return new LedgerMembership(rules, options, parts, host);
}

class LedgerMembership implements Membership {
  readonly rules: LedgerRules;
  readonly host: Host;
  readonly alarm: Alarm;
  readonly #options: ResolvedOptions;
  readonly #ledger: Ledger;
  readonly #placement: Placement;
  readonly #registers: readonly RegisterDriver[];
  readonly #pin: PinDriver;
  readonly #troubles: Troubles;
  readonly #floor: TokenFloorDriver | undefined;
  readonly #requests: Requests;
  readonly #news: NewsStream;
  /** The partitions whose holder changed since the placement was last notified. */
  readonly #held = new Map<number, Holding | undefined>();
  /**
   * Notifies the placement once for all changes in one turn of the event loop, as at a start or
   * after a crash.
   */
  readonly #tellHolders = coalesce(() => {
    const changed = new Map(this.#held);
    this.#held.clear();
    this.#troubles.attempt('holders', () => this.#placement.holders(changed));
  });
  /** The last ranks given to each register. */
  readonly #ranks = new Map<number, Ranks>();
  /** The partitions for which another source decides when this member is a candidate. */
  readonly #following = new Set<number>();
  readonly #stop = new AbortController();
  #campaigning: boolean;
  #admission: 'pending' | 'ready' | 'refused' = 'pending';
  #closed: Promise<void> | undefined;

  constructor(
    rules: LedgerRules,
    options: ResolvedOptions,
    { ledger, placement }: LedgerParts,
    host: Host,
  ) {
    this.rules = rules;
    this.host = host;
    this.#options = options;
    this.#ledger = ledger;
    this.#placement = placement;
    this.#campaigning = options.campaign;
    this.#troubles = new Troubles(host);
    this.#floor = this.#floorOf(rules, ledger);
    this.#requests = this.#requestsOf(rules, ledger);
    manyListeners(this.#stop.signal);
    this.alarm = alarm(host.clock, (index) => this.#wake(index), wakesPerTurn);
    const self = memberConfig(options, ledger, host);
    this.#registers = Array.from(
      { length: options.partitions },
      (_, partition) => new RegisterDriver(this, self, partition),
    );
    this.#pin = new PinDriver(this, self);
    this.#news = this.#newsStream();
    this.#followAll();
    this.campaign(options.campaign);
  }

  campaign(on: boolean, partition?: number): void {
    if (this.#closed !== undefined || (on && this.#admission === 'refused')) return;
    if (partition !== undefined) return this.#registers[partition]?.feed({ kind: 'campaign', on });
    this.#campaigning = on;
    this.#troubles.attempt('standing', () => this.#placement.standing(on));
    for (const register of this.#registers) register.feed({ kind: 'campaign', on });
    this.#pin.feed({ kind: 'wake' });
  }

  standBy(partition: number, above: bigint | undefined): void {
    const register = this.#registers[partition];
    if (this.#closed !== undefined || !this.#campaigning || register === undefined) return;
    this.#following.add(partition);
    register.feed({ kind: 'ranks', ranks: [this.host.incarnation] });
    register.feed({
      kind: 'campaign',
      on: above !== undefined,
      ...(above !== undefined && { above }),
    });
  }

  async resign(partition: number, abstainMs = 0): Promise<void> {
    const register = this.#registers[partition];
    register?.feed({ kind: 'resign', atLeastMs: abstainMs });
    await register?.idle(this.host.signal);
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  mayWrite(): boolean {
    return this.#campaigning;
  }

  write(request: WriteRequest, settled: Settled): void {
    this.#requests.write(request, settled);
  }

  readFloor(partition: number): void {
    this.#floor?.read(partition);
  }

  ask(want: LeaseRequest, isWanted: () => boolean): void {
    this.#requests.ask(want, isWanted);
  }

  reread(partition: number): void {
    this.#news.reread(partition);
  }

  holds(partition: number, holding: Holding | undefined): void {
    this.#held.set(partition, holding);
    this.#tellHolders();
  }

  broken(partition: number, rule: string): void {
    const sentence = `partition ${partition}: the store contradicts earlier reads or writes (rule ${rule}): its data was lost, truncated or edited, or a clock exceeds driftRate`;
    this.#troubles.raise('broken', new LeadershipError('assumption-broken', sentence));
    this.#mendAt(
      'broken',
      after(this.host.clock.now(), brokenShownThresholds * this.#options.thresholdMs),
    );
  }

  pinDenied(error: LeadershipError): void {
    this.#troubles.raise('pin', error);
  }

  read(pin: PartitionState['pin'], readable: boolean): void {
    for (const register of this.#registers) register.feed({ kind: 'pin', pin });
    if (pin === 'differs') this.#refuse('pin', this.#pin.difference());
    else if (readable) this.#ready();
  }

  #requestsOf(rules: LedgerRules, ledger: Ledger): Requests {
    const late = (record: LedgerRecord): void =>
      this.#registers[record.partition]?.feed({ kind: 'written', record, outcome: 'in-effect' });
    const { thresholdMs } = this.#options;
    const checkAt = (at: Instant): void => this.alarm.set(this.#checks + 1, at);
    const own = { thresholdMs, signal: this.#stop.signal, late, checkAt, floor: this.#floor };
    return new Requests({ rules, host: this.host, ledger, troubles: this.#troubles, ...own });
  }

  #floorOf(rules: LedgerRules, { tokenFloor: floor }: Ledger): TokenFloorDriver | undefined {
    const learn: TokenFloorParts['learn'] = (partition, read) =>
      this.#registers[partition]?.feed({ kind: 'floor', ...read });
    const times = {
      limitMs: rules.renewMs(this.#options.thresholdMs),
      backOff: backOffOf(this.#options.thresholdMs, this.host.random),
    };
    const parts = {
      host: this.host,
      troubles: this.#troubles,
      signal: this.#stop.signal,
      learn,
      ...times,
    };
    return floor && new TokenFloorDriver({ floor, ...parts });
  }

  #newsStream(): NewsStream {
    const { group, thresholdMs } = this.#options;
    return new NewsStream({
      ledger: this.#ledger,
      host: this.host,
      troubles: this.#troubles,
      group,
      thresholdMs,
      partitions: [pinRegister, ...this.#registers.keys()],
      backOff: backOffOf(thresholdMs, this.host.random),
      signal: this.#stop.signal,
      checkAt: (at) => this.alarm.set(this.#checks, at),
      learn: (news) => this.#learn(news),
      believes: (partition) => this.#registers[partition]?.believes ?? false,
      broke: (error) => this.#newsBroke(error),
    });
  }

  #followAll(): void {
    this.#news.follow();
    const ranked = (ranks: ReadonlyMap<number, Ranks>): void => {
      for (const [partition, order] of ranks) this.#rank(partition, order);
    };
    this.#follow('placement', (until) => this.#placement.ranks(until), ranked);
    const { leaseRequests: wants } = this.#ledger;
    const wanted = ({
      receivedAt,
      ...want
    }: LeaseRequest & { readonly receivedAt: PartitionState['writeAt'] }): void =>
      this.#registers[want.partition]?.feed({ kind: 'wanted', want, receivedAt });
    if (wants) this.#follow('wants', (until) => wants.received(until), wanted);
  }

  #rank(partition: number, ranks: Ranks): void {
    if (this.#following.has(partition) || isSameRanks(this.#ranks.get(partition), ranks)) return;
    this.#ranks.set(partition, ranks);
    this.#registers[partition]?.feed({ kind: 'ranks', ranks });
  }

  /**
   * Follows a stream that can fail and be reopened without harm. Its trouble ends once an item
   * arrives, or once the stream has not failed for T.
   */
  #follow<T>(
    source: 'placement' | 'wants',
    open: (signal: AbortSignal) => AsyncIterable<T>,
    take: (item: T) => void,
  ): void {
    const { thresholdMs } = this.#options;
    const { clock, random } = this.host;
    const each = (item: T): void => {
      this.#troubles.mend(source);
      take(item);
    };
    const broke = (error: unknown): boolean => {
      this.#mendAt(source, never);
      return this.#note(source, error);
    };
    const reopened = (): void => this.#mendAt(source, after(clock.now(), thresholdMs));
    void follow(
      { open, each, broke, reopened },
      backOffOf(thresholdMs, random),
      clock,
      this.#stop.signal,
    );
  }

  #learn(news: RegisterNews): void {
    const partition = news.kind === 'record' ? news.record.partition : news.partition;
    const register = partition === pinRegister ? this.#pin : this.#registers[partition];
    if (register === undefined) return this.host.ignored('foreign-partition');
    // Another member leads there, or a write of this member arrived: the outcome of an earlier
    // write no longer matters.
    if (news.kind === 'record') this.#troubles.mend(writing(partition));
    register.feed(news.kind === 'record' ? news : { kind: news.kind });
  }

  #wake(index: number): void {
    if (index < this.#registers.length) this.#registers[index]?.feed({ kind: 'wake' });
    else if (index === this.#registers.length) this.#pin.feed({ kind: 'wake' });
    else if (index === this.#checks) this.#news.check();
    else if (index > this.#checks) this.#requests.check();
    else this.#troubles.mend(mendable[index - this.#registers.length - 1] ?? '');
  }

  /** The index of the wake-up for the news; the wake-up for the requests follows it. */
  get #checks(): number {
    return this.#registers.length + 1 + mendable.length;
  }

  /**
   * Ends the trouble from this source at `at`, unless the source raises it again and calls this
   * method again before that.
   */
  #mendAt(source: (typeof mendable)[number], at: Instant): void {
    this.alarm.set(this.#registers.length + 1 + mendable.indexOf(source), at);
  }

  #note(source: string, error: unknown): true {
    this.#troubles.raise(source, error);
    return true;
  }

  /**
   * Before the source is ready, an error that cannot resolve by itself refuses the source. Later
   * every error is retried.
   */
  #newsBroke(error: unknown): boolean {
    const { code } = toLeadershipError(error);
    const isFinal =
      this.#admission === 'pending' &&
      (code === 'unauthorized' || code === 'misconfigured-backend');
    if (isFinal) this.#refuse('news', error);
    else this.#note('news', error);
    return !isFinal;
  }

  #refuse(source: string, error: unknown): void {
    const { code, message, cause } = toLeadershipError(error);
    this.#troubles.raise(source, error);
    if (this.#admission !== 'pending') return;
    this.#admission = 'refused';
    this.host.refused(code, message, cause);
    // A refused member no longer campaigns, even if the store recovers: its own cap may be too
    // short a wait in this group (R3).
    this.campaign(false);
  }

  #ready(): void {
    if (this.#admission === 'refused') return;
    this.#troubles.mend('pin');
    // A pin is written once. If its answer is lost or late and the pin has been read, no later
    // answer would end that trouble.
    this.#troubles.mend(writing(pinRegister));
    if (this.#admission === 'ready') return;
    this.#admission = 'ready';
    this.host.ready();
  }

  async #close(): Promise<void> {
    this.#troubles.attempt('standing', () => this.#placement.standing(false));
    await Promise.all(
      [...this.#registers.keys()].map((partition) =>
        this.resign(partition, Number.POSITIVE_INFINITY),
      ),
    );
    this.#stop.abort();
    this.#tellHolders[Symbol.dispose]();
    this.alarm[Symbol.dispose]();
    await this.#ledger.close();
  }
}

/** Returns the back-off between attempts to read a store that does not answer: from T/20 to T/2. */
function backOffOf(thresholdMs: number, random: () => number): BackOff {
  return { firstMs: thresholdMs / 20, lastMs: thresholdMs / 2, random };
}
