// Runs the pure machine: feeds it one input at a time, and performs the outputs of its steps in
// order.
import type { LeadershipError, LossReason, Metadata } from '@leadership/core';
import type { Host, Instant } from '@leadership/core/adapter';
import { never, nextWake } from '@leadership/core/internal';
import { hardStateOf } from '../protocol/hard-state.ts';
import type { NerioInput } from '../protocol/input.ts';
import { isVowed, type Sender } from '../protocol/message.ts';
import type { NerioOutput, Stamped, Verdict } from '../protocol/output.ts';
import type { MemberState, Moment } from '../protocol/state.ts';
import { stepAll } from '../protocol/step.ts';
import { revokedToken } from '../protocol/tenure.ts';
import type {
  Introduction,
  Message,
  Namesake,
  Transport,
  TransportListener,
} from '../transport/transport.ts';
import { Answers } from './answers.ts';
import { Connectivity } from './connectivity.ts';
import type { DriverParts } from './driver-parts.ts';
import { DurableWriter } from './durable-writer.ts';
import { Granting } from './granting.ts';
import { guardedTransport } from './guarded-transport.ts';
import { Namesakes } from './namesakes.ts';
import { Outbox } from './outbox.ts';
import { sendOutput } from './send-output.ts';

/** Drives the machine of one member. */
export class Driver implements TransportListener {
  readonly answers: Answers;
  readonly #parts: DriverParts;
  readonly #transport: Transport;
  readonly #outbox: Outbox;
  readonly #writer: DurableWriter;
  readonly #reach: Connectivity;
  readonly #granting: Granting;
  readonly #namesakes: Namesakes;
  readonly #changed = new Set<() => void>();
  readonly #over = new AbortController();
  #state: MemberState;
  #alarm: Disposable | undefined;
  #wakeAt: Instant = never;

  constructor(parts: DriverParts, state: MemberState) {
    const { host, health, thresholdMs } = parts;
    this.#parts = parts;
    this.#state = state;
    this.#namesakes = new Namesakes({ host, health, thresholdMs });
    this.#granting = new Granting({
      host,
      health,
      thresholdMs,
      isReached: (member) => this.#transport.isReached(member),
    });
    this.answers = new Answers(host.random);
    this.#writer = this.#writerOf(parts);
    this.#outbox = this.#outboxOf(parts);
    this.#transport = guardedTransport(parts.open(this), host, health);
    this.#reach = this.#reachOf(parts);
    this.#enter();
    this.feed({ kind: 'wake' });
  }

  /** The machine's state after the last step. */
  get state(): MemberState {
    return this.#state;
  }

  /** The current time. */
  moment(): Moment {
    const { clock } = this.#parts.host;
    return { now: clock.now(), wallMicros: clock.wallMicros() };
  }

  get clock(): Host['clock'] {
    return this.#parts.host.clock;
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
    return rules.relies(startedAt, remainderMs, rules.clock(this.moment()), this.#state.self);
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
    if (this.#over.signal.aborted) return [];
    for (const input of inputs)
      if (input.kind === 'fenced') this.#outbox.forgetProofs(input.partition);
    const before = this.#state;
    const moment = this.moment();
    const { state, outputs, wakeAt } = stepAll(this.#parts.rules, before, inputs, moment);
    this.#state = state;
    this.#granting.tell(state, this.#parts.rules.clock(moment));
    this.#wake(wakeAt);
    this.#outbox.put(outputs, this.#writer.note(before, state, outputs));
    if (state.newcomer !== before.newcomer) this.#reach.look();
    this.#tellChanged();
    return outputs;
  }

  /** Resolves once `holds` returns `true` after some step, or the signal aborts. */
  async until(holds: () => boolean, signal: AbortSignal): Promise<void> {
    while (!signal.aborted && !this.#over.signal.aborted && !holds())
      await nextWake(this.#changed, signal);
  }

  /** The same, but resolves with `false` once the disk has completed no write for T. */
  async untilOrStuck(holds: () => boolean, signal: AbortSignal): Promise<boolean> {
    const { clock } = this.#parts.host;
    const isStuck = (): boolean => clock.now() >= this.#writer.givesUpAt;
    while (!signal.aborted && !this.#over.signal.aborted && !holds() && !isStuck()) {
      const alarm = clock.wake(this.#writer.givesUpAt, () => this.#tellChanged());
      await nextWake(this.#changed, signal);
      alarm[Symbol.dispose]();
    }
    return holds() || !isStuck();
  }

  /**
   * Ends belief at once and discards the proof of it. The grants expire instead of being released
   * (H4).
   */
  fence(partition: number, reason: LossReason): void {
    this.#parts.host.lost(partition, reason);
    this.feed({ kind: 'fenced', partition, lapse: true });
  }

  /** Whether this member does not believe that it leads there, and all effects of that are done. */
  isIdle(partition: number): boolean {
    return this.#state.claims[partition]?.tenure.kind === 'follower' && this.#outbox.isEmpty;
  }

  heard(from: Sender, messages: readonly Message[]): void {
    const { store, host } = this.#parts;
    host.confirmed();
    this.#reach.heard(from.member);
    // A member without stored vows cannot be wedged: it leaves the end of an epoch to members with
    // them (N13).
    const taken = store === undefined ? messages.filter(({ item }) => !isVowed(item)) : messages;
    if (taken.length < messages.length) host.ignored('without a stateDirectory');
    this.feed(...taken.map(({ epoch, item }) => ({ kind: 'heard', from, epoch, item }) as const));
  }

  strayed(from: Sender, epoch: number): void {
    this.feed({ kind: 'heard', from, epoch, item: { kind: 'ping', beat: 0 } });
  }

  met(peer: Introduction): void {
    this.#parts.peerMetadata.met(peer);
    this.#namesakes.met(peer);
    this.#reach.mended(peer.member);
    this.feed({ kind: 'tried', member: peer.member });
  }

  listening(): void {
    this.feed({ kind: 'listening' });
  }

  parted(_peer: Sender): void {
    this.#reach.look();
  }

  displaced(at: Sender, by: Namesake): void {
    this.#namesakes.displaced(at, by);
  }

  failed(member: string | undefined, error: LeadershipError): void {
    this.#reach.failed(member, error);
    if (member !== undefined)
      this.feed({ kind: error.code === 'partitions-differ' ? 'differs' : 'tried', member });
  }

  mended(member: string | undefined): void {
    this.#reach.mended(member);
    if (member !== undefined) this.feed({ kind: 'tried', member });
  }

  dropped(what: string): void {
    this.#parts.host.ignored(what);
  }

  /** Sends what still waits, and closes the driver. */
  async close(): Promise<void> {
    await this.untilOrStuck(() => this.#outbox.isEmpty, this.#parts.host.signal);
    this.#over.abort();
    // Ignore a write that completes from now on.
    this.#outbox.clear();
    this.#alarm?.[Symbol.dispose]();
    this.#reach.close();
    this.#namesakes.close();
    await this.#transport.close();
  }

  #reachOf({ host, health, thresholdMs }: DriverParts): Connectivity {
    return new Connectivity({
      host,
      health,
      thresholdMs,
      electorate: () => this.#state.electorate,
      isReached: (member) => this.#transport.isReached(member),
      isAdmitted: () => this.#state.newcomer?.isAdmitted ?? true,
      refused: () => this.feed({ kind: 'campaign', on: false }),
    });
  }

  #outboxOf({ host }: DriverParts): Outbox {
    const perform = (output: NerioOutput): void => this.#perform(output);
    const dropped = (): void => host.ignored('unsent');
    return new Outbox({
      durability: this.#writer,
      perform,
      dropped,
      clock: host.clock,
      partitions: this.#state.self.partitions,
    });
  }

  #writerOf({
    host,
    health,
    store,
    keepsGrants,
    group,
    pin,
    thresholdMs,
    rules,
  }: DriverParts): DurableWriter {
    const kept = (): void => {
      this.#outbox.proceed();
      this.#tellChanged();
    };
    const parts = {
      host,
      health,
      store,
      keepsGrants,
      group,
      pin,
      thresholdMs,
      state: () => this.#state,
      kept,
    };
    return new DurableWriter(
      { ...parts, now: () => rules.clock(this.moment()), signal: this.#over.signal },
      hardStateOf(this.#state),
    );
  }

  #tellChanged(): void {
    for (const tell of this.#changed) tell();
  }

  #wake(at: Instant): void {
    if (at >= this.#wakeAt) return;
    this.#alarm?.[Symbol.dispose]();
    this.#wakeAt = at;
    this.#alarm = this.#parts.host.clock.wake(at, () => {
      this.#wakeAt = never;
      this.feed({ kind: 'wake' });
    });
  }

  #enter(): void {
    const { electorate } = this.#state;
    this.#reach.entered();
    this.#transport.enter(electorate.epoch);
    this.#transport.reach(electorate.names);
    this.#reach.look();
  }

  #perform(output: NerioOutput): void {
    const { host } = this.#parts;
    switch (output.kind) {
      case 'send':
      case 'tell':
        return sendOutput(this.#transport, output);
      case 'granted':
        return this.#granted(output);
      case 'drain':
        return this.#drain(output.partition);
      case 'released':
        return host.released(output.partition);
      case 'lost':
        if (output.reason === 'expired') this.#reach.unanswered();
        return host.lost(output.partition, output.reason);
      case 'leader':
        return host.leads(
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
        return this.#parts.weak(output.partition, this.#state.electorate.names[output.index]);
      case 'epoch':
        this.#enter();
        return this.#parts.entered(output.epoch);
      case 'verified':
      case 'found':
        return this.answers.take(output);
      case 'unanswered':
        return this.#reach.unheard();
      case 'implausible':
        return this.#parts.host.ignored('implausible');
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
    this.#parts.refused(this.#reach.refuseFor(member));
    void this.#transport.close();
  }

  #granted({ partition, token, until, sentAt }: NerioOutput & { readonly kind: 'granted' }): void {
    this.#reach.answered();
    if (this.#parts.host.granted({ partition, token, until, sentAt }) === 'over')
      this.feed({ kind: 'fenced', partition, lapse: false });
  }

  #drain(partition: number): void {
    const token = revokedToken(this.#state.claims[partition]?.tenure);
    void this.#parts.host.drain(partition).then((end) => {
      // The term may have ended in another way meanwhile, or before a slow disk let the drain
      // begin: then ignore the result.
      if (token === undefined || revokedToken(this.#state.claims[partition]?.tenure) !== token)
        return;
      this.feed(
        end === 'drained'
          ? { kind: 'drained', partition }
          : { kind: 'fenced', partition, lapse: true },
      );
    });
  }
}
