// One member of a group whose leases are kept in a ledger, from start to close: a driver for each
// partition's lease and one for the group's pin. Their inputs are the store's events, the
// placement's ranks and other members' lease requests; one timer wakes them.

import { coalesce } from '../async/coalesce.ts';
import type { Host, Membership } from '../contract/backend.ts';
import type { LeadershipError } from '../contract/leadership-error.ts';
import type { ResolvedOptions } from '../contract/resolved-options.ts';
import { contradiction } from '../engine/contradiction.ts';
import type { NewTimer } from '../engine/driver.ts';
import { MembershipShell } from '../engine/membership-shell.ts';
import { unknownGroup } from '../engine/unknown-group.ts';
import { type Instant, longAgo } from '../time/instant.ts';
import type { LeaseRequest, Ledger } from './ledger.ts';
import { LedgerStream, type RegisterEvent } from './ledger-stream.ts';
import { memberConfig } from './member-config.ts';
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
import { RegisterDriver } from './register-driver.ts';
import { Requests, type Settled, type WriteRequest, writing } from './store-requests.ts';
import { TokenFloorDriver, type TokenFloorParts } from './token-floor-driver.ts';

/**
 * How many timers may fire in one turn of the event loop. The work that follows from sixteen
 * writes takes some milliseconds.
 */
const wakesPerTurn = 16;

type ReceivedRequest = LeaseRequest & { readonly receivedAt: Instant };

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
  readonly timer: NewTimer;
  readonly #shell: MembershipShell;
  readonly #options: ResolvedOptions;
  readonly #ledger: Ledger;
  readonly #placement: Placement;
  readonly #registers: readonly RegisterDriver[];
  readonly #pin: PinDriver;
  readonly #floor: TokenFloorDriver | undefined;
  readonly #requests: Requests;
  readonly #stream: LedgerStream;
  /** The partitions whose holder changed since the placement was last notified. */
  readonly #held = new Map<number, Holding | undefined>();
  /**
   * Notifies the placement once for all changes in one turn of the event loop, as at a start or
   * after a crash.
   */
  readonly #notifyHolders = coalesce(() => {
    const changed = new Map(this.#held);
    this.#held.clear();
    this.#shell.health.attempt('holders', () => this.#placement.holders(changed));
  });
  /** The last ranks given to each register. */
  readonly #ranks = new Map<number, Ranks>();
  /** The partitions for which another source decides when this member is a candidate. */
  readonly #following = new Set<number>();
  #campaigning: boolean;

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
    const { thresholdMs } = options;
    // A refused member no longer campaigns, even if the store recovers: its own cap may be too
    // short a wait in this group (R3).
    const refused = (): void => this.campaign(false);
    this.#shell = new MembershipShell({ host, thresholdMs, wakesPerTurn, refused });
    this.timer = this.#shell.timer;
    this.#floor = this.#floorOf(rules, ledger);
    this.#requests = this.#requestsOf(rules, ledger);
    const self = memberConfig(options, ledger, host);
    this.#registers = Array.from(
      { length: options.partitions },
      (_, partition) => new RegisterDriver(this, self, partition),
    );
    this.#pin = new PinDriver(this, self);
    this.#stream = this.#openedStream();
    this.#followAll();
    this.campaign(options.campaign);
  }

  campaign(on: boolean, partition?: number): void {
    if (this.#shell.isClosed || (on && this.#shell.admission === 'refused')) return;
    if (partition !== undefined) return this.#registers[partition]?.feed({ kind: 'campaign', on });
    this.#campaigning = on;
    // A candidate opens the group itself.
    if (on) this.#shell.health.mend('group');
    this.#setCandidate(on);
    for (const register of this.#registers) register.feed({ kind: 'campaign', on });
    this.#pin.feed({ kind: 'wake' });
  }

  standBy(partition: number, above: bigint | undefined): void {
    const register = this.#registers[partition];
    if (this.#shell.isClosed || !this.#campaigning || register === undefined) return;
    this.#following.add(partition);
    register.feed({ kind: 'ranks', ranks: [this.host.incarnation] });
    register.feed({
      kind: 'campaign',
      on: above !== undefined,
      ...(above !== undefined && { above }),
    });
  }

  exceed(partition: number, token: bigint): void {
    // As old as can be, it answers no read of the group's own floor.
    this.#registers[partition]?.feed({ kind: 'floor', token, askedAt: longAgo });
  }

  async resign(partition: number, abstainMs = 0): Promise<void> {
    const register = this.#registers[partition];
    const ended = register?.ended(this.host.signal);
    register?.feed({ kind: 'resign', atLeastMs: abstainMs });
    await ended;
  }

  async died(incarnation: string): Promise<void> {
    const { signal } = this.#shell;
    await Promise.all(this.#registers.map((register) => register.died(incarnation, signal)));
  }

  leaseMs(partition: number): number | undefined {
    return this.#registers[partition]?.leaseMs;
  }

  close(): Promise<void> {
    return this.#shell.close(
      () => this.#leave(),
      () => this.#notifyHolders[Symbol.dispose](),
      () => this.#ledger.close(),
    );
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

  requestLease(request: LeaseRequest, isWanted: () => boolean): void {
    this.#requests.requestLease(request, isWanted);
  }

  reread(partition: number): void {
    this.#stream.reread(partition);
  }

  holds(partition: number, holding: Holding | undefined): void {
    this.#held.set(partition, holding);
    this.#notifyHolders();
  }

  broken(partition: number, rule: string): void {
    this.#shell.raiseBriefly('broken', contradiction(partition, rule));
  }

  pinDenied(error: LeadershipError): void {
    this.#shell.health.raise('pin', error);
  }

  read(pin: PartitionState['pin'], readable: boolean): void {
    for (const register of this.#registers) register.feed({ kind: 'pin', pin });
    // Only for an observer is an empty register of the pin all that there is to read.
    if (pin === 'unknown' && readable) this.#unknownGroup();
    else if (pin !== 'unknown') this.#shell.health.mend('group');
    if (pin === 'differs') this.#shell.failed('pin', this.#pin.difference());
    else if (readable) this.#ready();
  }

  #requestsOf(rules: LedgerRules, ledger: Ledger): Requests {
    const late = (record: LedgerRecord): void =>
      this.#registers[record.partition]?.feed({ kind: 'written', record, outcome: 'in-effect' });
    const { host, health, signal } = this.#shell;
    const { thresholdMs } = this.#options;
    return new Requests({
      rules,
      host,
      ledger,
      health,
      thresholdMs,
      signal,
      late,
      floor: this.#floor,
    });
  }

  #floorOf(rules: LedgerRules, { tokenFloor: floor }: Ledger): TokenFloorDriver | undefined {
    if (floor === undefined) return undefined;
    const learn: TokenFloorParts['learn'] = (partition, read) =>
      this.#registers[partition]?.feed({ kind: 'floor', ...read });
    const { host, health, backOff, signal } = this.#shell;
    const limitMs = rules.renewMs(this.#options.thresholdMs);
    return new TokenFloorDriver({ floor, host, health, limitMs, backOff, signal, learn });
  }

  #openedStream(): LedgerStream {
    const { host, health, backOff, signal } = this.#shell;
    const { group, thresholdMs } = this.#options;
    return new LedgerStream({
      host,
      health,
      backOff,
      signal,
      group,
      thresholdMs,
      ledger: this.#ledger,
      partitions: [pinRegister, ...this.#registers.keys()],
      timer: this.timer,
      learn: (event) => this.#learn(event),
      believes: (partition) => this.#registers[partition]?.believes ?? false,
      broke: (error) => this.#shell.failed('events', error),
    });
  }

  #followAll(): void {
    this.#stream.follow();
    const ranked = (ranks: ReadonlyMap<number, Ranks>): void => {
      for (const [partition, order] of ranks) this.#rank(partition, order);
    };
    this.#shell.follow('placement', {
      open: (until) => this.#placement.ranks(until),
      each: ranked,
    });
    const { leaseRequests } = this.#ledger;
    const requested = ({ receivedAt, ...request }: ReceivedRequest): void =>
      this.#registers[request.partition]?.feed({ kind: 'requested', request, receivedAt });
    if (leaseRequests)
      this.#shell.follow('lease-requests', {
        open: (until) => leaseRequests.received(until),
        each: requested,
      });
  }

  #rank(partition: number, ranks: Ranks): void {
    if (this.#following.has(partition) || isSameRanks(this.#ranks.get(partition), ranks)) return;
    this.#ranks.set(partition, ranks);
    this.#registers[partition]?.feed({ kind: 'ranks', ranks });
  }

  #learn(event: RegisterEvent): void {
    const partition = event.kind === 'record' ? event.record.partition : event.partition;
    const register = partition === pinRegister ? this.#pin : this.#registers[partition];
    if (register === undefined) return this.host.ignored('foreign-partition');
    // Another member leads there, or a write of this member arrived: the outcome of an earlier
    // write no longer matters.
    if (event.kind === 'record') this.#shell.health.mend(writing(partition));
    register.feed(event.kind === 'record' ? event : { kind: event.kind });
  }

  #unknownGroup(): void {
    if (this.#shell.isClosed || this.#shell.admission === 'refused') return;
    this.#shell.health.raise('group', unknownGroup(this.#options.group));
  }

  #setCandidate(on: boolean): void {
    this.#shell.health.attempt('setCandidate', () => {
      this.#ledger.setCandidate?.(on);
      this.#placement.setCandidate(on);
    });
  }

  #ready(): void {
    if (this.#shell.admission === 'refused') return;
    this.#shell.health.mend('pin');
    // A pin is written once. If its answer is lost or late and the pin has been read, no later
    // answer would end that trouble.
    this.#shell.health.mend(writing(pinRegister));
    this.#shell.ready();
  }

  async #leave(): Promise<void> {
    this.#setCandidate(false);
    const resigning = this.#registers.map((_, partition) =>
      this.resign(partition, Number.POSITIVE_INFINITY),
    );
    await Promise.all(resigning);
  }
}
