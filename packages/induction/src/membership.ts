// One member of a `continuous` group, from start to close: a driver for each partition. Their
// inputs are the coordinator's decisions and the beats of all members; one timer wakes them.

import { LeadershipError } from '@leadership/core';
import {
  type Host,
  type Membership,
  type Publication,
  withTimeout,
} from '@leadership/core/adapter';
import { follow, MembershipShell, type NewTimer } from '@leadership/core/internal/engine';
import type { Assigned, Assignment } from './assignment.ts';
import type { Beat } from './beat.ts';
import type { BeatEvent, Beats } from './beats.ts';
import { type DeclinedPartitions, declinedPartitions } from './declined.ts';
import type { InductionParts, ResolvedInductionOptions } from './options.ts';
import { type Outbox, outbox } from './outbox.ts';
import { type DriverContext, PartitionDriver } from './partition-driver.ts';
import type { InductionRules } from './protocol/rules.ts';
import type { MemberConfig } from './protocol/state.ts';
import type { InductionSettings } from './settings.ts';

/** One member's part in the election over the broker's assignment. */
export class InductionMembership implements Membership, DriverContext {
  readonly rules: InductionRules;
  readonly host: Host;
  readonly timer: NewTimer;
  readonly #shell: MembershipShell;
  readonly #options: ResolvedInductionOptions;
  readonly #settings: InductionSettings;
  readonly #assignment: Assignment;
  readonly #beats: Beats;
  readonly #partitions: readonly PartitionDriver[];
  readonly #outbox: Outbox;
  readonly #declined: DeclinedPartitions;
  readonly #listening = new Set<number>();
  #isAssigned = false;
  #isMeasuring = false;

  constructor(
    rules: InductionRules,
    options: ResolvedInductionOptions,
    settings: InductionSettings,
    parts: InductionParts,
    host: Host,
  ) {
    this.rules = rules;
    this.host = host;
    this.#options = options;
    this.#settings = settings;
    this.#assignment = parts.assignment;
    this.#beats = parts.beats;
    const { thresholdMs } = options;
    this.#shell = new MembershipShell({ host, thresholdMs, refused: () => this.#stand(false) });
    this.timer = this.#shell.timer;
    this.#declined = declinedPartitions(options.partitions, (partitions, isBack) =>
      this.#shell.health.attempt('assignment', () => this.#assignment.declined(partitions, isBack)),
    );
    const self = memberConfig(options, settings, host);
    this.#partitions = Array.from(
      { length: options.partitions },
      (_, partition) => new PartitionDriver(this, self, partition),
    );
    this.#outbox = outbox(
      (beats) => this.#send(beats),
      (error) => this.#shell.signal.aborted || this.#shell.health.raise('send', error),
    );
    this.#followAll();
    this.campaign(options.campaign);
  }

  campaign(on: boolean, partition?: number): void {
    if (this.#shell.isClosed || this.#shell.admission === 'refused') return;
    if (partition === undefined) this.#stand(on);
    else {
      this.#partitions[partition]?.feed({ kind: 'campaign', on });
      this.#declined.notStanding(partition, !on);
    }
  }

  /**
   * Asks the coordinator not to assign the partition while this member is not a candidate; the
   * coordinator still decides. Ignores `above`, because tokens are not ordered here.
   */
  standBy(partition: number, above: bigint | undefined): void {
    if (this.#options.campaign) this.campaign(above !== undefined, partition);
  }

  publish(publication: Publication): void {
    this.#assignment.publish?.(publication);
  }

  isUnsure(): boolean {
    return this.#assignment.isUnsure?.() === true;
  }

  async resign(partition: number, abstainMs = 0): Promise<void> {
    const driver = this.#partitions[partition];
    const ended = driver?.ended(this.host.signal);
    driver?.feed({ kind: 'resign', atLeastMs: abstainMs });
    await ended;
  }

  close(): Promise<void> {
    return this.#shell.close(
      () => this.#leave(),
      () => this.#assignment.close(),
      () => this.#beats.close(),
    );
  }

  send(beat: Beat, settled: (isWritten: boolean) => void): void {
    this.#outbox.put(beat, settled);
  }

  decline(partition: number, on: boolean): void {
    this.#declined.givenUp(partition, on);
  }

  unreturned(partition: number, on: boolean): void {
    this.#declined.unreturned(partition, on);
    // A beat was written, or the member sends none any more.
    if (!this.#declined.isUnreturned) this.#shell.health.mend('send');
  }

  broken(partition: number, rule: 'I2' | 'I5'): void {
    const what = {
      I2: "the broker's clock stepped, or stamps of another broker's clock are mixed in",
      I5: 'another member led at the same time: the coordinator did not honour the session, or a clock exceeds driftRate',
    };
    const sentence = `partition ${partition}: ${what[rule]} (rule ${rule})`;
    this.#shell.raiseBriefly('broken', new LeadershipError('assumption-broken', sentence));
  }

  measured(): void {
    if (this.#isMeasuring) return;
    this.#isMeasuring = true;
    void Promise.resolve().then(() => this.#measure());
  }

  #stand(on: boolean): void {
    this.#shell.health.attempt('assignment', () => this.#assignment.setCandidate(on));
    for (const driver of this.#partitions) driver.feed({ kind: 'campaign', on });
    this.#readyOnce();
  }

  #followAll(): void {
    const { backOff, signal } = this.#shell;
    const all = [...this.#partitions.keys()];
    const receiving = {
      open: (until: AbortSignal) => this.#beats.received(all, until),
      each: (event: BeatEvent) => this.#receive(event),
      broke: (error: unknown) => this.#shell.failed('beats', error),
      reopened: () => this.#partitions.forEach((driver) => driver.feed({ kind: 'restarted' })),
    };
    void follow(receiving, backOff, this.host.clock, signal);
    this.#shell.follow('assignment', {
      open: (until) => this.#assignment.assigned(until),
      each: (assigned) => this.#assign(assigned),
      broke: (error) => this.#shell.failed('assignment', error),
    });
  }

  #assign({ partitions, generation, alone = false }: Assigned): void {
    this.#isAssigned = true;
    this.host.confirmed();
    this.#declined.assigned(partitions);
    // A member without partitions sends no beats, except to try whether they come back.
    if (partitions.size === 0 && !this.#declined.isUnreturned) this.#shell.health.mend('send');
    const numberOf = (partition: number): number | undefined =>
      typeof generation === 'object' ? generation.get(partition) : generation;
    this.#partitions.forEach((driver, partition) =>
      driver.feed({
        kind: 'assigned',
        mine: partitions.has(partition),
        generation: numberOf(partition),
        alone,
      }),
    );
    this.#readyOnce();
  }

  #receive(event: BeatEvent): void {
    this.#shell.health.confirm('beats');
    switch (event.kind) {
      case 'beat':
        return this.#receiveBeat(event);
      case 'restarted':
        return this.#partitions[event.partition]?.feed({ kind: 'restarted' });
      case 'ignored':
        return this.host.ignored(event.what);
      case 'listening':
        for (const partition of event.partitions) this.#listening.add(partition);
        this.#readyOnce();
    }
  }

  #receiveBeat(event: BeatEvent & { readonly kind: 'beat' }): void {
    const { group, partition, partitions, member } = event.beat;
    const driver = this.#partitions[partition];
    if (driver === undefined) return this.host.ignored('foreign-partition');
    if (group !== this.#options.group || partitions === this.#options.partitions)
      return driver.feed(event);
    this.host.ignored('other-partitions');
    const sentence = `member "${member}" of group "${group}" runs with partitions ${partitions}, but this member is configured with ${this.#options.partitions}; give all members the same value`;
    const error = new LeadershipError('partitions-differ', sentence);
    if (this.#shell.admission === 'pending') this.#shell.refuse('differs', error);
    else this.#shell.raiseBriefly('differs', error);
  }

  /** Sends beats with a time limit of T/3: a beat that takes longer is useless. */
  async #send(beats: readonly Beat[]): Promise<void> {
    const { signal } = this.#shell;
    const limit = { clock: this.host.clock, limitMs: this.#options.thresholdMs / 3, signal };
    if (signal.aborted) throw new Error('closed');
    await withTimeout(limit, (until) => this.#beats.send(beats, until));
    this.#shell.health.confirm('send');
  }

  #measure(): void {
    this.#isMeasuring = false;
    const errors = this.#partitions.map(({ clockErrorMs }) => clockErrorMs ?? 0);
    const errorMs = errors.reduce((largest, one) => Math.max(largest, one), 0);
    const { beats, clockErrorMsMax } = this.#settings;
    this.host.measured('clockErrorMs', errorMs);
    if (beats === 'owner' || errorMs <= clockErrorMsMax) return this.#shell.health.mend('clock');
    const sentence = `the broker's clock is known to within ${Math.ceil(errorMs)} ms, but clockErrorMsMax is ${clockErrorMsMax}; beats of other members count for less time until this member's own beats return faster`;
    this.#shell.health.raise('clock', new LeadershipError('assumption-broken', sentence));
  }

  #readyOnce(): void {
    const isReceived =
      this.#listening.size === this.#partitions.length &&
      (this.#isAssigned || !this.#options.campaign);
    if (isReceived) this.#shell.ready();
  }

  async #leave(): Promise<void> {
    this.#stand(false);
    await Promise.all(this.#partitions.map((driver) => driver.idle(this.host.signal)));
  }
}

function memberConfig(
  { group, partitions, thresholdMs, driftRate, metadata }: ResolvedInductionOptions,
  settings: InductionSettings,
  host: Host,
): MemberConfig {
  const { promise, beats, beatMs, numbered, settles } = settings;
  const published = Object.keys(metadata).length > 0 ? { metadata } : {};
  const { member, incarnation } = host;
  return {
    group,
    member,
    incarnation,
    partitions,
    thresholdMs,
    driftRate,
    ...published,
    promise,
    beats,
    beatMs,
    numbered,
    settles,
  };
}
