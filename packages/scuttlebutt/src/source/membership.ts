// One member of a gossip group, from start to close: opens the transport, then steps the machine of
// the protocol as the source commands. A source is what the application has opened.
import { inspect } from 'node:util';
import { LeadershipError } from '@leadership/core';
import { type Host, type Membership, type Publication, sleep } from '@leadership/core/adapter';
import { MembershipShell, retry, systemSuspendWatch } from '@leadership/core/internal/engine';
import { pinOf, type Settings } from '../options.ts';
import type { GossipListener, GossipTransport, OpenGossip } from '../transport/transport.ts';
import { MemberDriver } from './member-driver.ts';
import type { SharedState } from './shared-state.ts';

/** The parts of a membership. */
export interface MembershipParts {
  readonly settings: Settings;
  readonly open: OpenGossip;
  readonly shared: SharedState;
}

/** One member of a group. */
export class ScuttlebuttMembership implements Membership {
  readonly #parts: MembershipParts;
  readonly #host: Host;
  readonly #shell: MembershipShell;
  readonly #partitions: readonly number[];
  readonly #opening: Promise<void>;
  #driver: MemberDriver | undefined;
  #transport: GossipTransport | undefined;
  #isCampaigning: boolean;

  constructor(parts: MembershipParts, host: Host) {
    const { thresholdMs, partitions, campaign } = parts.settings.options;
    this.#parts = parts;
    this.#host = host;
    this.#partitions = Array.from({ length: partitions }, (_, partition) => partition);
    this.#isCampaigning = campaign;
    this.#shell = new MembershipShell({
      host,
      thresholdMs,
      refused: () => this.campaign(false),
    });
    const { backOff, signal } = this.#shell;
    const broke = (error: unknown): boolean => {
      if (this.#driver || this.#shell.isClosed) return false;
      const isFinal = error instanceof LeadershipError && error.code === 'invalid-options';
      if (isFinal) this.#shell.refuse('transport', error);
      else this.#shell.health.raise('transport', error);
      return !isFinal;
    };
    const attempt = (): Promise<void> => this.#open();
    this.#opening = retry({ attempt, broke }, backOff, host.clock, signal);
  }

  campaign(on: boolean, partition?: number): void {
    if (this.#shell.isClosed || (on && this.#shell.admission === 'refused')) return;
    if (partition === undefined) this.#isCampaigning = on;
    const driver = this.#driver;
    driver?.feed({ kind: 'campaign', on, partition });
    if (!on) this.#handOver(partition === undefined ? this.#partitions : [partition], 0);
  }

  publish(publication: Publication): void {
    if (!this.#shell.isClosed) this.#parts.shared.publish(publication);
  }

  async resign(partition: number, abstainMs = 0): Promise<void> {
    const left = this.#driver?.left([partition], this.#host.signal);
    this.#driver?.feed({ kind: 'resign', partition, atLeastMs: abstainMs });
    await left;
  }

  close(): Promise<void> {
    return this.#shell.close(
      () => this.#leave(),
      () => this.#end(),
    );
  }

  /** Ends the terms in order. A partition without a term is left alone: it may be led again soon. */
  #handOver(partitions: readonly number[], atLeastMs: number): void {
    for (const partition of partitions)
      if (this.#driver?.isOut([partition]) === false)
        this.#driver.feed({ kind: 'resign', partition, atLeastMs });
  }

  async #open(): Promise<void> {
    const { settings, open, shared } = this.#parts;
    const { options, seeds } = settings;
    const { group, member, partitions } = options;
    // A message that arrives before the driver runs is lost, as any message may be.
    const listener: GossipListener = {
      received: (message, isProved) => this.#driver?.received(message, isProved),
      dropped: (reason) => this.#driver?.dropped(reason),
      failed: (name, error) => this.#driver?.failed(name, error),
      streamed: (name, error) => this.#driver?.streamed(name, error),
      unresolved: (name, error) => this.#driver?.unresolved(name, error),
      keys: (error) => this.#driver?.keys(error),
    };
    const transport = await opened(() =>
      open({ group, member, partitions, pin: pinOf(settings), configured: seeds }, listener),
    );
    if (this.#shell.isClosed) return await transport.close();
    this.#transport = transport;
    this.#shell.health.mend('transport');
    this.#driver = new MemberDriver({
      settings,
      shell: this.#shell,
      transport,
      shared,
      suspends: systemSuspendWatch(),
      isCampaigning: this.#isCampaigning,
    });
  }

  async #leave(): Promise<void> {
    const driver = this.#driver;
    if (driver === undefined) return;
    const hasLed = !driver.isOut(this.#partitions);
    driver.feed({ kind: 'campaign', on: false });
    this.#handOver(this.#partitions, 0);
    await driver.left(this.#partitions, this.#host.signal);
    for (const partition of this.#partitions)
      if (!driver.isOut([partition])) driver.fence(partition, 'closed');
    const { electionMs } = driver.state.config;
    const farewell = (): Promise<void> => sleep(this.#host.clock, electionMs, this.#host.signal);
    // A successor may need the vote of this member.
    if (hasLed) await farewell();
    driver.feed({ kind: 'close' });
    if (hasLed || driver.hasLastVote) await farewell();
  }

  async #end(): Promise<void> {
    await this.#opening;
    this.#parts.shared.ended();
    this.#driver?.[Symbol.dispose]();
    await this.#transport?.close();
  }
}

/** Opens the transport. Any error becomes a `LeadershipError`, also that of a custom transport. */
async function opened(open: () => Promise<GossipTransport>): Promise<GossipTransport> {
  try {
    return await open();
  } catch (cause) {
    if (cause instanceof LeadershipError) throw cause;
    const why = cause instanceof Error ? cause.message : inspect(cause);
    throw new LeadershipError('unreachable', `the transport cannot be opened: ${why}`, { cause });
  }
}
