// One member of a Nerio group, from start to close: loads its stored state, opens its transport,
// then steps the machine of the protocol as the source commands. A source is what the application
// has opened.
import { inspect } from 'node:util';
import { LeadershipError } from '@leadership/core';
import type { Host, Membership, Publication } from '@leadership/core/adapter';
import { MembershipShell, momentOf, nextWake, retry } from '@leadership/core/internal/engine';
import { afterLoss, newMember } from '../protocol/initial-state.ts';
import type { OpenTransport, Transport } from '../transport/transport.ts';
import { MemberDriver } from './member-driver.ts';
import type { NerioApi } from './nerio-api.ts';
import { PeerMetadata } from './peer-metadata.ts';
import { firstEpoch, pinKept, pinOf, rulesOf, type Settings, selfOf } from './settings.ts';
import { type StateStore, stateStoreIn } from './state-store.ts';
import type { StoredState } from './stored-state.ts';

/** The parts and callbacks of a membership. */
export interface MembershipParts {
  readonly settings: Settings;
  readonly openTransport: OpenTransport;
  /** What the application sees of Nerio. */
  readonly api: NerioApi;
}

/** One member of a group. */
export class NerioMembership implements Membership {
  readonly #parts: MembershipParts;
  readonly #host: Host;
  readonly #shell: MembershipShell;
  readonly #opened = new Set<() => void>();
  #driver: MemberDriver | undefined;
  /** The reason for which it never takes part. */
  #refusal: LeadershipError | undefined;
  #campaigning: boolean;
  #publication: Publication | undefined;

  constructor(parts: MembershipParts, host: Host) {
    this.#parts = parts;
    this.#host = host;
    const { thresholdMs } = parts.settings.options;
    this.#shell = new MembershipShell({ host, thresholdMs, refused: (why) => this.#refused(why) });
    this.#campaigning = parts.settings.options.campaign;
    const { stateDirectory, options } = parts.settings;
    if (stateDirectory === undefined) this.#start(undefined, undefined);
    else void this.#recall(stateStoreIn(stateDirectory, options.group, options.member));
  }

  campaign(on: boolean, partition?: number): void {
    if (this.#shell.isClosed || (on && this.#shell.admission === 'refused')) return;
    if (partition === undefined) this.#campaigning = on;
    this.#driver?.feed({ kind: 'campaign', on, partition });
  }

  publish(publication: Publication): void {
    this.#publication = publication;
    this.#driver?.publish(publication);
  }

  async resign(partition: number, abstainMs = 0): Promise<void> {
    const driver = this.#driver;
    if (driver === undefined) return;
    const left = driver.left([partition], this.#host.signal);
    driver.feed({ kind: 'resign', partition, atLeastMs: abstainMs });
    const isOrderly = await left;
    // While the disk completes no write, no release can be sent, so the lease must expire.
    if (!isOrderly) driver.fence(partition, 'drain-timed-out');
  }

  close(): Promise<void> {
    return this.#shell.close(
      () => this.#leave(),
      () => this.#end(),
    );
  }

  /** The running driver; `undefined` before the stored state was read. */
  get driver(): MemberDriver | undefined {
    return this.#driver;
  }

  /**
   * Resolves with the driver once it runs; with `undefined` if the signal aborts or the source
   * closes first.
   * @throws LeadershipError the reason for which it never runs
   */
  async opened(signal: AbortSignal): Promise<MemberDriver | undefined> {
    while (this.#isStarting && !signal.aborted) await nextWake(this.#opened, signal);
    if (this.#refusal !== undefined) throw this.#refusal;
    return this.#driver;
  }

  get #isStarting(): boolean {
    return this.#driver === undefined && this.#refusal === undefined && !this.#shell.isClosed;
  }

  #refused(error: LeadershipError): void {
    this.#refusal = error;
    this.campaign(false);
    this.#notifyOpened();
  }

  #notifyOpened(): void {
    for (const wake of this.#opened) wake();
  }

  /**
   * Reads the stored state, and writes the new incarnation's number before any message is sent (N8,
   * N13).
   */
  async #recall(store: StateStore): Promise<void> {
    const { health, backOff, signal } = this.#shell;
    const attempt = async (): Promise<void> => {
      const before = await store.read();
      const image = this.#nextLife(before);
      await store.write(image);
      health.mend('disk');
      if (this.#isStarting) this.#start(store, image);
    };
    const broke = (error: unknown): boolean =>
      this.#isStarting && this.#shell.failed('disk', error);
    await retry({ attempt, broke }, backOff, this.#host.clock, signal);
  }

  /** If the transport cannot be opened, the member refuses to start; the process continues. */
  #start(store: StateStore | undefined, image: StoredState | undefined): void {
    try {
      this.#open(store, image);
    } catch (error) {
      if (!(error instanceof LeadershipError)) throw error;
      this.#shell.refuse('transport', error);
    }
  }

  #nextLife(before: StoredState | undefined): StoredState {
    const { options, ...own } = this.#parts.settings;
    const life = this.#life(before?.life ?? 0);
    const found = before?.hardState ?? { epoch: firstEpoch(own), wedge: undefined };
    // Grants that are no longer updated are worse than none. A loss of state is stored now, so the
    // next start needs no `stateLost`.
    const memory = own.restart === 'state' && !own.stateLost ? before?.memory : undefined;
    const hardState = own.stateLost ? afterLoss(found) : found;
    const pin = pinKept(this.#parts.settings, before);
    return {
      format: 1,
      group: options.group,
      member: options.member,
      life,
      hardState,
      pin,
      memory,
    };
  }

  /**
   * The number of this incarnation: it grows with every start, from the stored number, or from the
   * wall clock if none is stored.
   */
  #life(before: number): number {
    return Math.max(before + 1, Math.floor(this.#host.clock.wallMicros() / 1000));
  }

  #open(store: StateStore | undefined, image: StoredState | undefined): void {
    const { settings, openTransport, api } = this.#parts;
    const { options, restart } = settings;
    const host = this.#host;
    const rules = rulesOf(settings);
    const self = selfOf(settings, host, image?.life ?? this.#life(0));
    const hardState = image?.hardState ?? { epoch: firstEpoch(settings), wedge: undefined };
    const known = { knowsPin: false, isListening: false };
    const kept = { hardState, storesHardState: store !== undefined, memory: image?.memory };
    const state = newMember(rules, self, { ...kept, ...known }, momentOf(host.clock));
    const pin = image?.pin ?? pinOf(settings);
    const { member, incarnation, clock, random } = host;
    const { group, partitions, thresholdMs, metadata } = options;
    const introduction = {
      member,
      incarnation,
      pin,
      metadata,
      ...(!options.campaign && { observes: true as const }),
      since: Math.floor(clock.wallMicros() / 1000),
    };
    const peerMetadata = new PeerMetadata(introduction);
    const place = { self: introduction, group, partitions, thresholdMs, clock, random };
    const driver = new MemberDriver(
      {
        rules,
        shell: this.#shell,
        group,
        pin,
        thresholdMs,
        store,
        peerMetadata,
        keepsGrants: restart === 'state',
        open: (listener) => opened(() => openTransport({ ...place, listener })),
        api,
      },
      state,
    );
    this.#driver = driver;
    if (this.#publication !== undefined) driver.publish(this.#publication);
    api.entered(hardState.epoch);
    if (!this.#campaigning) driver.feed({ kind: 'campaign', on: false, partition: undefined });
    this.#notifyOpened();
  }

  async #leave(): Promise<void> {
    this.#notifyOpened();
    const driver = this.#driver;
    if (driver === undefined) return;
    driver.feed({ kind: 'campaign', on: false, partition: undefined });
    const partitions = [...driver.state.claims.keys()];
    const isOrderly = await driver.left(partitions, this.#host.signal);
    if (!isOrderly) for (const partition of partitions) driver.fence(partition, 'closed');
  }

  async #end(): Promise<void> {
    await this.#driver?.close();
    this.#parts.api.ended();
  }
}

/** Opens the transport. Any error becomes a `LeadershipError`, also that of a custom transport. */
function opened(open: () => Transport): Transport {
  try {
    return open();
  } catch (cause) {
    if (cause instanceof LeadershipError) throw cause;
    const why = cause instanceof Error ? cause.message : inspect(cause);
    throw new LeadershipError('invalid-options', `the transport cannot be opened: ${why}`, {
      cause,
    });
  }
}
