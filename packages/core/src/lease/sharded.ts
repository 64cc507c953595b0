// A member of a group in several stores that fail independently: one machine for each of them, under
// one source (M12). The pin in the first store says how many there are.
import { type Deferred, deferred } from '../async/deferred.ts';
import { retryUntilDone } from '../async/retry.ts';
import { sleep } from '../async/sleep.ts';
import { withTimeout } from '../async/with-timeout.ts';
import type { Host, KnownMember, Membership, Publication } from '../contract/backend.ts';
import type { ResolvedOptions } from '../contract/resolved-options.ts';
import { toLeadershipError } from '../engine/health-reporter.ts';
import { MembershipShell } from '../engine/membership-shell.ts';
import { unknownGroup } from '../engine/unknown-group.ts';
import { openingMsOf } from '../rows/notifications.ts';
import type { Exchange, Exchanged, Rows } from '../rows/rows.ts';
import type { KeptTexts } from './kept-texts.ts';
import { differenceOf, pinIsRefused } from './pin.ts';
import { type Pin, parsePin, pinName, pinText } from './records.ts';
import type { LeaseRules } from './rules.ts';
import { partitionAt, partitionsIn, placeOf } from './shard.ts';
import { type LeaseMembership, leaseMembership } from './shell.ts';

/** The stores of a group. */
export interface Shards {
  /** Returns how many of them a new group uses. */
  count(signal: AbortSignal): Promise<number>;
  /** Opens the rows in one of them. The first is opened before their number is known. */
  open(index: number): Rows;
}

/** The greatest number of stores: each costs a session of every member. */
const shardsMax = 64;

/** The topics of troubles. */
const opening = 'opening';
const group = 'group';
/**
 * An observer asks that often whether a member has opened the group, and a member whether it can write
 * the pin that it cannot read. In T.
 */
const looksThresholds = 0.25;
/** A member writes the pin and reads it at once. It may have observed when the first look began. */
const looksAtOnce = 3;

/** Starts this member's part in the election over several stores. */
export function shardedMembership(
  rules: LeaseRules,
  options: ResolvedOptions,
  shards: Shards,
  host: Host,
  kept: KeptTexts,
): Membership {
  return new ShardedShell(rules, options, shards, host, kept);
}

function pinnedWith(shards: number): Readonly<Record<string, string>> {
  return { shards: String(shards) };
}

/** Returns the number of stores that a pin names; 1 if it names none. */
function shardsIn(pin: Pin): number {
  const shards = Number(pin.pinned['shards']);
  return Number.isSafeInteger(shards) && shards > 0 && shards <= shardsMax ? shards : 1;
}

/** Returns each member once: it is a candidate if it is one in any store. */
function merged(members: readonly KnownMember[]): readonly KnownMember[] {
  const known = new Map<string, KnownMember>();
  for (const member of members) {
    const before = known.get(member.incarnation);
    const isCandidate = member.isCandidate || before?.isCandidate === true;
    known.set(member.incarnation, { ...before, ...member, isCandidate });
  }
  return [...known.values()];
}

class ShardedShell implements Membership {
  readonly #rules: LeaseRules;
  readonly #options: ResolvedOptions;
  readonly #shards: Shards;
  readonly #shell: MembershipShell;
  readonly #first: Rows;
  readonly #kept: KeptTexts;
  /** The machines; none before their number is known. */
  #members: readonly LeaseMembership[] = [];
  /** Calls from before that. */
  #asked: (() => void)[] = [];
  /** The present members, by store. */
  readonly #present: (readonly KnownMember[])[] = [];
  readonly #started: Deferred<void> = deferred();
  #isCampaigning: boolean;
  #isRefused = false;

  constructor(
    rules: LeaseRules,
    options: ResolvedOptions,
    shards: Shards,
    host: Host,
    kept: KeptTexts,
  ) {
    this.#rules = rules;
    this.#options = options;
    this.#shards = shards;
    this.#isCampaigning = options.campaign;
    const refused = (): void => this.#refuse();
    this.#shell = new MembershipShell({ host, thresholdMs: options.thresholdMs, refused });
    this.#first = shards.open(0);
    this.#kept = kept;
    void this.#begin();
  }

  campaign(on: boolean, partition?: number): void {
    if (this.#shell.isClosed || (on && this.#isRefused)) return;
    if (on) this.#isCampaigning = true;
    if (partition === undefined) {
      this.#isCampaigning = on;
      return this.#all((member) => member.campaign(on));
    }
    this.#at(partition, (member, local) => member.campaign(on, local));
  }

  standBy(partition: number, above: bigint | undefined): void {
    this.#at(partition, (member, local) => member.standBy?.(local, above));
  }

  publish(publication: Publication): void {
    this.#all((member) => member.publish?.(publication));
  }

  exceed(partition: number, token: bigint): void {
    this.#at(partition, (member, local) => member.exceed?.(local, token));
  }

  async resign(partition: number, abstainMs?: number): Promise<void> {
    if (this.#members.length === 0)
      return this.#at(partition, (member, local) => void member.resign(local, abstainMs));
    const { index, local } = placeOf(partition, this.#members.length);
    await this.#members[index]?.resign(local, abstainMs);
  }

  async died(incarnation: string): Promise<void> {
    await this.#started.promise;
    await Promise.all(this.#members.map((member) => member.died?.(incarnation)));
  }

  leaseMs(partition: number): number | undefined {
    const { index, local } = placeOf(partition, Math.max(1, this.#members.length));
    return this.#members[index]?.leaseMs?.(local);
  }

  isUnsure(): boolean {
    return this.#members.some((member) => member.isUnsure?.() === true);
  }

  replaceText(
    name: string,
    next: (text: string | undefined) => string | undefined,
  ): Promise<string | undefined> {
    return this.#kept.replace(name, next, this.#isCampaigning && !this.#isRefused);
  }

  close(): Promise<void> {
    const leave = (): Promise<unknown> => {
      this.#started.resolve();
      return Promise.all(this.#members.map((member) => member.close()));
    };
    const [first, kept] = [() => this.#first.close(), () => this.#kept.close()];
    return this.#shell.close(leave, first, kept);
  }

  /** Finds the number of stores, again and again, and starts the machines. */
  async #begin(): Promise<void> {
    const { host, health, backOff, signal } = this.#shell;
    const attempt = (): Promise<number> => this.#count();
    const broke = (error: unknown): boolean =>
      this.#shell.failed(opening, toLeadershipError(error, this.#first.name));
    const counted = retryUntilDone({ attempt, broke }, backOff, host.clock, signal);
    // The failure was reported, or the member has left.
    const shards = await counted.catch(() => undefined);
    if (shards === undefined) return;
    health.mend(opening);
    health.mend(group);
    this.#start(shards);
  }

  /** Returns how many stores the group uses, once its pin says so. */
  async #count(): Promise<number> {
    const { host, signal } = this.#shell;
    for (let looks = 0; ; ) {
      const shards = await this.#look();
      if (shards !== undefined) return shards;
      looks = this.#isCampaigning ? looks + 1 : 0;
      if (looks > 0 && looks < looksAtOnce) continue;
      this.#reportUnknown();
      await sleep(host.clock, looksThresholds * this.#options.thresholdMs, signal);
      signal.throwIfAborted();
    }
  }

  /** Reports that there is no pin. An observer is ready: it waits for a member that writes one. */
  #reportUnknown(): void {
    const { group: name } = this.#options;
    const isWriter = this.#isCampaigning;
    this.#shell.health.raise(group, isWriter ? pinIsRefused(name) : unknownGroup(name));
    if (!isWriter) this.#shell.ready();
  }

  /** Reads the pin. A member of a new group writes it, for the next reading. */
  async #look(): Promise<number | undefined> {
    await this.#limited(async (signal) => this.#first.open?.(signal, this.#isCampaigning));
    const { rows, position: since } = await this.#exchange({ changes: [], since: undefined });
    const text = new Map(rows).get(pinName) ?? undefined;
    if (text !== undefined) return this.#shardsOf(parsePin(text));
    if (!this.#isCampaigning) return undefined;
    const { partitions, thresholdMsMax } = this.#options;
    const shards = await this.#limited((signal) => this.#shards.count(signal));
    const { incarnation } = this.#shell.host;
    const pin = pinText(partitions, thresholdMsMax, pinnedWith(shards), incarnation);
    const changes = [{ name: pinName, expected: null, text: pin }];
    await this.#exchange({ changes, since });
    return undefined;
  }

  /**
   * Returns the number of stores of a group that this member can join. Throws otherwise: the machine of
   * another store would begin before that of the first one has compared the pins.
   */
  #shardsOf(pin: Pin): number {
    const error = differenceOf(pin, this.#options);
    if (error) throw error;
    return shardsIn(pin);
  }

  async #exchange(request: Exchange): Promise<Exchanged> {
    const answer = await this.#limited((signal) => this.#first.exchange(request, signal));
    this.#shell.host.confirmed();
    return answer;
  }

  #limited<T>(call: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { host, signal } = this.#shell;
    const limitMs = openingMsOf(this.#options.thresholdMs);
    return withTimeout({ clock: host.clock, limitMs, signal }, call);
  }

  #start(shards: number): void {
    if (this.#shell.isClosed) return;
    const { partitions } = this.#options;
    this.#members = Array.from({ length: shards }, (_, index) => {
      const rows = index === 0 ? this.#first : this.#shards.open(index);
      const shard = { index, shards, partitions };
      const own = partitionsIn(index, shards, partitions);
      return leaseMembership(
        this.#rules,
        { ...this.#options, partitions: own },
        rows,
        this.#hostOf(index, shards),
        { shard, pinned: pinnedWith(shards) },
      );
    });
    for (const ask of this.#asked.splice(0)) ask();
    this.#started.resolve();
  }

  /** Returns the host of one machine, which has numbers of its own for its partitions. */
  #hostOf(index: number, shards: number): Host {
    const { host } = this.#shell;
    const named = (local: number): number => partitionAt(local, index, shards);
    return {
      ...host,
      granted({ partition, token }) {
        return host.granted({ partition: named(partition), token, lease: index });
      },
      prolonged: (until, sentAt) => host.prolonged(until, sentAt, index),
      lost: (partition, reason) => host.lost(named(partition), reason),
      released: (partition) => host.released(named(partition)),
      drain: (partition) => host.drain(named(partition)),
      leads: (partition, leader, ended) => host.leads(named(partition), leader, ended),
      members: (members) => {
        this.#present[index] = members;
        host.members(merged(this.#present.flat()));
      },
      // No member of shards has a limit, and a record that says one is wrong.
      capacity: () => undefined,
      // The first store that agrees is enough: a dead one costs its share only.
      ready: () => this.#shell.ready(),
      refused: (code, message, cause) => {
        host.refused(code, message, cause);
        this.#refuse();
      },
    };
  }

  /** The reason for which one machine is refused holds for all. */
  #refuse(): void {
    this.#isRefused = true;
    this.#started.resolve();
    this.#all((member) => member.campaign(false));
  }

  #all(ask: (member: LeaseMembership) => void): void {
    this.#when(() => {
      for (const member of this.#members) ask(member);
    });
  }

  #at(partition: number, ask: (member: LeaseMembership, local: number) => void): void {
    this.#when(() => {
      const { index, local } = placeOf(partition, this.#members.length);
      const member = this.#members[index];
      if (member !== undefined) ask(member, local);
    });
  }

  /** Does something with the machines, once they run. */
  #when(ask: () => void): void {
    if (this.#members.length > 0) ask();
    else this.#asked.push(ask);
  }
}
