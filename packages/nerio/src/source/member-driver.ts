// Runs the state machine of one member for all partitions: performs the outputs of its steps over
// the transport, each once the state that it depends on is on disk.
import type { LeadershipError, LossReason, Metadata } from '@leadership/core';
import type { Host, Publication } from '@leadership/core/adapter';
import {
  Driver,
  endOfTerms,
  type MembershipShell,
  type Moment,
  momentOf,
  type OutputQueue,
  Terms,
} from '@leadership/core/internal/engine';
import type { NerioInput } from '../protocol/input.ts';
import { revokedToken } from '../protocol/lease-state.ts';
import { mayChangeHardState, type Sender } from '../protocol/message.ts';
import type { NerioOutput, Stamped, Verdict } from '../protocol/output.ts';
import type { NerioRules } from '../protocol/rules.ts';
import type { MemberState } from '../protocol/state.ts';
import { stepAll } from '../protocol/step.ts';
import type {
  Displacer,
  Introduction,
  Message,
  Pin,
  Transport,
  TransportListener,
} from '../transport/transport.ts';
import { Answers } from './answers.ts';
import { Connectivity } from './connectivity.ts';
import { DuplicateNames } from './duplicate-names.ts';
import { DurableWriter } from './durable-writer.ts';
import { Granting } from './granting.ts';
import { guardedTransport } from './guarded-transport.ts';
import type { NerioApi } from './nerio-api.ts';
import { Outbox } from './outbox.ts';
import type { PeerMetadata } from './peer-metadata.ts';
import { sendOutput } from './send-output.ts';
import type { StateStore } from './state-store.ts';

/** The parts of a driver. */
export interface MemberDriverParts {
  readonly rules: NerioRules;
  readonly shell: MembershipShell;
  readonly group: string;
  /** The values on which all members agree (R3). */
  readonly pin: Pin;
  readonly thresholdMs: number;
  readonly keepsGrants: boolean;
  readonly store: StateStore | undefined;
  readonly peerMetadata: PeerMetadata;
  /** Opens the transport, which calls `listener`. */
  readonly open: (listener: TransportListener) => Transport;
  /** What the application sees of Nerio. */
  readonly api: Pick<NerioApi, 'weak' | 'entered'>;
}

/** Inputs of one moment, as of one frame. The machine processes them in one step. */
interface Batch {
  readonly kind: 'batch';
  readonly inputs: readonly NerioInput[];
}

/** Drives the machine of one member. */
export class MemberDriver implements TransportListener {
  readonly answers: Answers;
  readonly #parts: MemberDriverParts;
  readonly #host: Host;
  readonly #driver: Driver<MemberState, Batch, NerioOutput>;
  readonly #terms: Terms;
  readonly #transport: Transport;
  readonly #outbox: Outbox;
  readonly #writer: DurableWriter;
  readonly #connectivity: Connectivity;
  readonly #granting: Granting;
  readonly #duplicates: DuplicateNames;
  /** Whether it has been a member of an epoch. */
  #wasMember = false;
  /** Sets the moment after which a pending write is given up. */
  readonly #stuckAt: (at: DurableWriter['givesUpAt']) => void;

  constructor(parts: MemberDriverParts, state: MemberState) {
    const { rules, shell, thresholdMs } = parts;
    const { host, health, timer } = shell;
    this.#parts = parts;
    this.#host = host;
    this.answers = new Answers(host.random);
    this.#duplicates = new DuplicateNames(shell);
    const isReached = (member: string): boolean => this.#transport.isReached(member);
    this.#writer = this.#writerOf(parts, state);
    const isKept = (): boolean => this.#writer.hasGrants;
    this.#granting = new Granting({ host, health, thresholdMs, isReached, isKept });
    this.#outbox = new Outbox({
      durability: this.#writer,
      dropped: () => host.ignored('unsent'),
      clock: host.clock,
      partitions: state.self.partitions,
    });
    this.#driver = new Driver({
      clock: host.clock,
      timer,
      state,
      step: (before, input, moment) =>
        stepAll(rules, before, input.kind === 'batch' ? input.inputs : [input], moment),
      queue: this.#queue(),
      perform: (output) => this.#perform(output),
    });
    this.#terms = new Terms({
      host,
      feed: (input) => this.feed(input),
      drainingToken: (partition) => revokedToken(this.state.claims[partition]?.leaseState),
    });
    this.#stuckAt = timer(() => this.#driver.proceed());
    this.#transport = guardedTransport(parts.open(this), host, health);
    this.#connectivity = new Connectivity({
      shell,
      electorate: () => this.state.electorate,
      isReached,
      isAdmitted: () => this.state.newcomer?.isAdmitted ?? true,
      ping: (members) => this.#ping(members),
      thresholdMs,
    });
    this.#enter();
    this.feed({ kind: 'wake' });
  }

  /** The machine's state after the last step. */
  get state(): MemberState {
    return this.#driver.state;
  }

  /** The current time. */
  moment(): Moment {
    return momentOf(this.clock);
  }

  get clock(): Host['clock'] {
    return this.#host.clock;
  }

  /** Creates an edict of the partition, if this member leads there (N8). */
  edict(partition: number): Stamped | undefined {
    return this.feed({ kind: 'edict', partition, id: 0 }).find(
      (output) => output.kind === 'stamped',
    );
  }

  /** Whether a verification is still valid (N12). */
  relies({ startedAt, remainderMs }: Verdict): boolean {
    const { rules } = this.#parts;
    return rules.relies(startedAt, remainderMs, rules.clock(this.moment()), this.state.self);
  }

  /** The metadata that this incarnation has sent. */
  metadataOf(sender: Sender): Metadata {
    return this.#parts.peerMetadata.metadataOf(sender);
  }

  /**
   * Processes inputs of one moment together. Performs their outputs after all earlier ones, and
   * returns them for callers that need one.
   */
  feed(...inputs: readonly NerioInput[]): readonly NerioOutput[] {
    if (this.#parts.shell.signal.aborted) return [];
    for (const input of inputs)
      if (input.kind === 'fenced') this.#outbox.forgetProofs(input.partition);
    return this.#driver.feed({ kind: 'batch', inputs });
  }

  /** Resolves once `holds` returns `true` after some step, or the signal aborts. */
  until(holds: () => boolean, signal: AbortSignal): Promise<void> {
    return this.#driver.until(holds, signal);
  }

  /**
   * Ends belief at once and discards the proof of it. The grants expire instead of being released
   * (H4).
   */
  fence(partition: number, reason: LossReason): void {
    this.#host.lost(partition, reason);
    this.feed({ kind: 'fenced', partition, lapse: true });
  }

  received(from: Sender, messages: readonly Message[]): void {
    const { store } = this.#parts;
    this.#host.confirmed();
    this.#connectivity.received(from.member);
    // A member without a stored hard state cannot be wedged: it leaves the end of an epoch to members with
    // them (N13).
    const taken =
      store === undefined ? messages.filter(({ item }) => !mayChangeHardState(item)) : messages;
    if (taken.length < messages.length) this.#host.ignored('without a stateDirectory');
    this.feed(
      ...taken.map(({ epoch, item }) => ({ kind: 'received', from, epoch, item }) as const),
    );
  }

  wrongEpoch(from: Sender, epoch: number): void {
    this.feed({ kind: 'received', from, epoch, item: { kind: 'ping', beat: 0 } });
  }

  connected(peer: Introduction): void {
    this.#parts.peerMetadata.connected(peer);
    this.#reportMembers();
    this.#duplicates.connected(peer);
    this.#connectivity.mended(peer.member);
    this.feed({ kind: 'tried', member: peer.member });
  }

  published(peer: Sender, publication: Publication): void {
    this.#parts.peerMetadata.published(peer, publication);
    this.#reportMembers();
  }

  /** Publishes something else about this member. */
  publish(publication: Publication): void {
    this.#transport.publish?.(publication);
    this.published(this.state.self, publication);
  }

  listening(): void {
    this.feed({ kind: 'listening' });
  }

  disconnected(peer: Sender): void {
    this.#parts.peerMetadata.disconnected(peer);
    this.#reportMembers();
    this.#connectivity.look();
  }

  displaced(at: Sender, by: Displacer): void {
    this.#duplicates.displaced(at, by);
  }

  failed(member: string | undefined, error: LeadershipError): void {
    this.#connectivity.failed(member, error);
    if (member !== undefined)
      this.feed({ kind: error.code === 'partitions-differ' ? 'differs' : 'tried', member });
  }

  mended(member: string | undefined): void {
    this.#connectivity.mended(member);
    if (member !== undefined) this.feed({ kind: 'tried', member });
  }

  dropped(what: string): void {
    this.#host.ignored(what);
  }

  /**
   * Resolves with `true` once the terms that this member has now in the partitions are over and all
   * effects of that are done; with `false` if the disk has completed no write for T. A member that
   * loses its term while it resigns may soon begin the next one, so later terms are not waited for.
   */
  async left(partitions: readonly number[], signal: AbortSignal): Promise<boolean> {
    const areOver = endOfTerms(partitions, (partition) => this.#tokenIn(partition));
    let ending: number | undefined;
    const hasLeft = (): boolean => {
      if (areOver()) ending ??= this.#outbox.appended;
      return ending !== undefined && this.#outbox.hasDone(ending);
    };
    const isStuck = (): boolean => this.clock.now() >= this.#writer.givesUpAt;
    const isOver = (): boolean => {
      this.#stuckAt(this.#writer.givesUpAt);
      return hasLeft() || isStuck();
    };
    await this.#driver.until(isOver, signal);
    return hasLeft() || !isStuck();
  }

  /** The token of this member's term, as of the last step. */
  #tokenIn(partition: number): bigint | undefined {
    const leaseState = this.state.claims[partition]?.leaseState;
    return leaseState?.kind === 'follower' ? undefined : leaseState?.token;
  }

  /** Closes the transport without sending the queued messages. */
  close(): Promise<void> {
    this.#outbox.clear();
    return this.#transport.close();
  }

  #writerOf(parts: MemberDriverParts, state: MemberState): DurableWriter {
    const { rules, shell, store, keepsGrants, group, pin, thresholdMs } = parts;
    const { host, health, signal } = shell;
    return new DurableWriter(
      {
        host,
        health,
        signal,
        store,
        keepsGrants,
        group,
        pin,
        thresholdMs,
        state: () => this.state,
        now: () => rules.clock(this.moment()),
        kept: () => {
          this.#granting.report(this.state, rules.clock(this.moment()));
          this.#driver.proceed();
        },
      },
      state,
    );
  }

  /** Outputs wait until the state after their step is on disk. */
  #queue(): OutputQueue<MemberState, NerioOutput> {
    const { rules } = this.#parts;
    return {
      put: (outputs, before, after) => {
        this.#granting.report(after, rules.clock(this.moment()));
        this.#outbox.put(outputs, this.#writer.note(before, after, outputs));
        if (after.newcomer !== before.newcomer) this.#connectivity.look();
      },
      next: () => this.#outbox.next(),
    };
  }

  /** Sends pings outside the ring, whose own beats begin at 1. */
  #ping(members: readonly string[]): void {
    const item = { kind: 'ping', beat: 0 } as const;
    for (const member of members)
      this.#transport.send(member, { epoch: this.state.electorate.number, item });
  }

  #enter(): void {
    const { electorate, index } = this.state;
    const isMember = index >= 0;
    if (this.#wasMember && !isMember) this.#connectivity.removed();
    // One that has yet to be added learns of no leader either, but should be added soon.
    if (isMember || this.#wasMember) this.#host.expectsLeaders(isMember);
    this.#wasMember ||= isMember;
    this.#connectivity.entered();
    this.#transport.enter(electorate.epoch);
    this.#transport.reach(electorate.names);
    this.#reportMembers();
    this.#connectivity.look();
  }

  #reportMembers(): void {
    this.#host.members(this.#parts.peerMetadata.present(this.state.electorate.epoch.members));
  }

  #perform(output: NerioOutput): void {
    switch (output.kind) {
      case 'send':
      case 'send-by-name':
        return sendOutput(this.#transport, output);
      case 'granted':
        this.#connectivity.answered();
        return this.#terms.perform(output.partition, output);
      case 'lost':
        if (output.reason === 'expired') this.#connectivity.unanswered();
        return this.#terms.perform(output.partition, output);
      case 'drain':
      case 'released':
        return this.#terms.perform(output.partition, output);
      case 'leader':
        return this.#host.leads(
          output.partition,
          output.leader && { ...output.leader, metadata: this.metadataOf(output.leader) },
        );
      default:
        return this.#performSeldom(output);
    }
  }

  #performSeldom(output: NerioOutput): void {
    switch (output.kind) {
      case 'weak':
        return this.#parts.api.weak(output.partition, this.state.electorate.names[output.index]);
      case 'epoch':
        this.#enter();
        return this.#parts.api.entered(output.epoch);
      case 'verified':
      case 'found':
        return this.answers.receive(output);
      case 'unanswered':
        return this.#connectivity.electionFailed();
      case 'implausible':
        return this.#host.ignored('implausible');
      case 'refused':
        return this.#refuse(output.member);
      default:
      // The outbox has waited for the write, or the call returns the output.
    }
  }

  /**
   * Closes the transport: a newcomer of the right configuration that met this member would refuse
   * too.
   */
  #refuse(member: string): void {
    this.#connectivity.refuseFor(member);
    void this.#transport.close();
  }
}
