// Runs the state machine of one member: performs the outputs of its steps over the transport.
// Rule numbers such as H6: docs/reference/rules.md.
import { inspect } from 'node:util';
import { LeadershipError, type LossReason } from '@leadership/core';
import type { Host } from '@leadership/core/adapter';
import {
  after,
  Driver,
  endOfTerms,
  HealthReporter,
  type MembershipShell,
  type Moment,
  momentOf,
  type SuspendWatch,
  Terms,
} from '@leadership/core/internal/engine';
import { configOf, type Settings } from '../options.ts';
import type { KnownLeader } from '../protocol/election/state.ts';
import type { Row } from '../protocol/gossip/node.ts';
import { microsAhead } from '../protocol/gossip/plausible.ts';
import type { ScuttlebuttInput } from '../protocol/input.ts';
import type { Message } from '../protocol/message.ts';
import type { ScuttlebuttOutput, Step } from '../protocol/output.ts';
import { scuttlebuttRules as rules } from '../protocol/rules.ts';
import { generationAt, type MemberState, newMember } from '../protocol/state.ts';
import { step } from '../protocol/step.ts';
import type { Drop } from '../transport/envelope.ts';
import type { GossipListener, GossipTransport } from '../transport/transport.ts';
import { Connectivity } from './connectivity.ts';
import { DuplicateNames } from './duplicate-names.ts';
import type { SharedState, SharedStateDriver } from './shared-state.ts';
import { shownThresholds } from './tracker-parts.ts';
import { WallClocks } from './wall-clocks.ts';

const microsPerMs = 1000;

/** The parts of a driver. */
export interface MemberDriverParts {
  readonly settings: Settings;
  readonly shell: MembershipShell;
  readonly transport: GossipTransport;
  readonly shared: SharedState;
  /** Notices that the machine has slept (H6). */
  readonly suspends: SuspendWatch;
  readonly isCampaigning: boolean;
}

/** Drives the machine of one member. */
export class MemberDriver implements GossipListener, SharedStateDriver {
  readonly #parts: MemberDriverParts;
  readonly #host: Host;
  readonly #driver: Driver<MemberState, ScuttlebuttInput, ScuttlebuttOutput>;
  readonly #terms: Terms;
  readonly #connectivity: Connectivity;
  readonly #duplicates: DuplicateNames;
  readonly #wallClocks: WallClocks;
  readonly #warnings: HealthReporter;
  readonly #roundAt: ReturnType<MembershipShell['timer']>;
  /** The generation whose terms the host knows. */
  #generation: number;
  /** Whether this turn of the event loop has found that the clock goes. */
  #isAwake = false;
  /** Whether the last step found that the machine has slept. */
  #hasSlept = false;
  /** By partition: the leader with the metadata that the host knows. */
  readonly #reported = new Map<number, KnownLeader & { readonly metadata: object }>();

  constructor(parts: MemberDriverParts) {
    const { settings, shell, transport, shared, isCampaigning } = parts;
    const { host, timer } = shell;
    const { thresholdMs } = settings.options;
    const moment = momentOf(host.clock);
    const initial = {
      generation: generationAt(moment.wallMicros),
      seed: Math.floor(host.random() * 2 ** 32),
    };
    const config = configOf(settings, transport.messageBytesMax);
    const state = newMember(rules, config, initial, moment);
    this.#parts = parts;
    this.#host = host;
    this.#generation = initial.generation;
    this.#warnings = new HealthReporter(host, 'warning');
    const trackerParts = { shell, warnings: this.#warnings, thresholdMs };
    this.#connectivity = new Connectivity(trackerParts);
    this.#duplicates = new DuplicateNames(shell, thresholdMs);
    this.#wallClocks = new WallClocks({ ...trackerParts, driftRate: settings.options.driftRate });
    this.#driver = new Driver({
      clock: host.clock,
      timer,
      state,
      step: (before, input, now) => this.#step(before, input, now),
      perform: (output) => this.#perform(output),
    });
    this.#terms = new Terms({
      host,
      feed: (input) => this.feed(input),
      drainingToken: (partition) => {
        const term = this.state.election.candidateStates[partition]?.term;
        return term?.isRevoking ? term.token : undefined;
      },
    });
    this.#roundAt = timer(() => this.#round());
    shared.started(this);
    if (!isCampaigning) this.feed({ kind: 'campaign', on: false });
    this.feed({ kind: 'wake' });
    this.#round();
  }

  /** The machine's state after the last step. */
  get state(): MemberState {
    return this.#driver.state;
  }

  /** The current time. */
  moment(): Moment {
    return momentOf(this.#host.clock);
  }

  /** Processes one input at once, and returns the outputs. */
  feed(input: ScuttlebuttInput): readonly ScuttlebuttOutput[] {
    return this.#parts.shell.signal.aborted ? [] : this.#driver.feed(input);
  }

  set(key: string, value: string | undefined): boolean {
    return !this.feed({ kind: 'set', key, value }).some((output) => output.kind === 'full');
  }

  incarnationOf(member: string, generation: number): string {
    const isSelf = member === this.#host.member && generation === this.state.election.generation;
    return isSelf ? this.#host.incarnation : `${member} ${generation}`;
  }

  received(message: Message, isProved: boolean): void {
    if (this.#parts.shell.signal.aborted || this.#isAhead(message)) return;
    if (isProved) {
      this.#connectivity.received(message.from.name, message.body.kind === 'reply');
      this.#wallClocks.heard(message.from);
    }
    if (isProved || this.#isRecent(message.from)) this.#duplicates.seen(message.from);
    this.feed({ kind: 'received', message });
  }

  /**
   * Whether the sender started with a clock that is too far ahead. The machine would ignore what it
   * says of itself, and yet answer it: the sender would never notice. A message of another pin
   * counts, because it makes a member refuse (R4).
   */
  #isAhead({ pin, from: { name, generation } }: Message): boolean {
    const ahead = microsAhead(generation, this.#host.clock.wallMicros());
    if (ahead === 0 || pin !== this.state.config.pin) return false;
    this.#host.ignored('implausible');
    this.#connectivity.ignored(name, ahead);
    return true;
  }

  /**
   * Whether a row was written lately, by the wall clock: its generation is the time of the start, and
   * its clock the time since then. A process whose name leads to another one receives nothing and can
   * prove nothing, while a recorded message is old.
   */
  #isRecent({ generation, clock }: Row): boolean {
    const ageMs = this.#host.clock.wallMicros() / microsPerMs - (generation / microsPerMs + clock);
    return ageMs < this.#parts.settings.options.thresholdMs;
  }

  dropped(reason: Drop): void {
    this.#host.ignored(reason);
    if (reason === 'forged') this.#connectivity.forged();
  }

  failed(member: string, error: Error): void {
    if (!this.#parts.shell.signal.aborted) this.#connectivity.failed(member, error);
  }

  streamed(member: string, error: Error | undefined): void {
    if (!this.#parts.shell.signal.aborted) this.#connectivity.streamed(member, error);
  }

  unresolved(member: string, error: Error | undefined): void {
    if (!this.#parts.shell.signal.aborted) this.#connectivity.unresolved(member, error);
  }

  keys(error: Error | undefined): void {
    const { health, signal } = this.#parts.shell;
    if (signal.aborted) return;
    if (error) health.raise('keys', error);
    else health.mend('keys');
  }

  /** Whether this member has no term in any of the partitions. */
  isOut(partitions: readonly number[]): boolean {
    const { candidateStates } = this.state.election;
    return partitions.every((partition) => candidateStates[partition]?.term === undefined);
  }

  /** Whether this member has published its last vote (S7). */
  get hasLastVote(): boolean {
    return this.state.election.witnesses.length > 0;
  }

  /**
   * Resolves once the terms that this member has now in the partitions are over, or the signal
   * aborts. Terms that begin later are not waited for.
   */
  left(partitions: readonly number[], signal: AbortSignal): Promise<void> {
    const tokenIn = (partition: number): bigint | undefined =>
      this.state.election.candidateStates[partition]?.term?.token;
    return this.#driver.until(endOfTerms(partitions, tokenIn), signal);
  }

  /** Ends the term at once. The votes for it expire instead of being released (H4). */
  fence(partition: number, reason: LossReason): void {
    this.#host.lost(partition, reason);
    this.feed({ kind: 'fenced', partition, lapse: true });
  }

  [Symbol.dispose](): void {
    this.#warnings.mendAll();
    this.#warnings[Symbol.dispose]();
  }

  /**
   * Whether the clock has stopped since the last step (H6). Messages that arrive in one turn of
   * the event loop share the answer, because it takes longer than a step.
   */
  #slept(): boolean {
    if (this.#isAwake) return false;
    this.#isAwake = true;
    setImmediate(() => {
      this.#isAwake = false;
    });
    return this.#parts.suspends.slept();
  }

  /** Takes a step, after it has checked whether the clock stopped since the last one (H6). */
  #step(before: MemberState, input: ScuttlebuttInput, moment: Moment): Step {
    if (!this.#slept()) return step(rules, before, input, moment);
    this.#hasSlept = true;
    const stopped = step(rules, before, { kind: 'clock-stopped' }, moment);
    const next = step(rules, stopped.state, input, moment);
    return { ...next, outputs: [...stopped.outputs, ...next.outputs] };
  }

  #ownEntry(key: string): string | undefined {
    return this.state.gossip.nodes.get(this.#host.member)?.entries.get(key)?.value;
  }

  /** Reports the state of the member, once per round. */
  #round(): void {
    const { shell, settings, shared } = this.#parts;
    this.#roundAt(after(shell.host.clock.now(), settings.intervalMs));
    if (shell.admission === 'refused') return;
    this.#connectivity.look(this.state);
    this.#duplicates.exchange(this.state.gossip.nodes.values(), (key, value) => {
      if (this.#ownEntry(key) !== value) this.set(key, value);
    });
    shared.refresh();
    this.#host.members(shared.present());
    for (const [partition, { metadata, ...leader }] of this.#reported)
      if (shared.metadataOf(leader.member) !== metadata) this.#leads(partition, leader);
  }

  #perform(output: ScuttlebuttOutput): void {
    switch (output.kind) {
      case 'send':
        return this.#send(output.to, output.message);
      case 'granted':
      case 'drain':
      case 'released':
        return this.#terms.perform(output.partition, output);
      case 'lost':
        return this.#lost(output.partition);
      case 'leader':
        return this.#leads(output.partition, output.leader);
      case 'differs':
        return this.#differs(output.member, output.isFinal);
      case 'renewed':
        return this.#renewed(output.generation);
      case 'implausible':
        return this.#host.ignored('implausible');
      case 'full':
      // The caller of `set` receives it.
    }
  }

  /** A custom transport may throw. The message is lost, as any transport may lose one. */
  #send(to: string, message: Message): void {
    try {
      this.#parts.transport.send(to, message);
    } catch (cause) {
      this.#host.ignored('transport threw');
      this.#connectivity.failed(to, cause instanceof Error ? cause : new Error(inspect(cause)));
    }
  }

  #lost(partition: number): void {
    const isRenewed = this.state.election.generation !== this.#generation;
    const reason = !isRenewed ? 'expired' : this.#hasSlept ? 'suspended' : 'superseded';
    this.#terms.perform(partition, { kind: 'lost', reason });
    if (!isRenewed) this.#connectivity.expired(this.state);
  }

  #leads(partition: number, leader: KnownLeader | undefined): void {
    if (leader === undefined) {
      this.#reported.delete(partition);
      return this.#host.leads(partition, undefined);
    }
    const { member, generation, token } = leader;
    const incarnation = this.incarnationOf(member, generation);
    const metadata = this.#parts.shared.metadataOf(member);
    this.#reported.set(partition, { ...leader, metadata });
    this.#host.leads(partition, { member, incarnation, token, metadata });
  }

  #differs(member: string, isFinal: boolean): void {
    const { shell, transport, settings } = this.#parts;
    const { partitions, thresholdMsMax, driftRate } = settings.options;
    const sentence = `member "${member}" has a different configuration: here voters are ${settings.voters.join(', ')}, partitions ${partitions}, thresholdMsMax ${thresholdMsMax} and driftRate ${driftRate}. Give all members of the group the same values; to change them, stop all members first`;
    const error = new LeadershipError('partitions-differ', sentence);
    if (!isFinal) return shell.raiseBriefly(`member ${member} differs`, error);
    shell.refuse(`member ${member} differs`, error);
    void transport.close();
  }

  /** All terms of the earlier generation have ended. */
  #renewed(generation: number): void {
    const { shell, settings } = this.#parts;
    const why = this.#hasSlept
      ? new LeadershipError(
          'assumption-broken',
          'the clock of this machine stopped for a while, as in a suspended machine: this member has started again',
        )
      : new LeadershipError(
          'displaced',
          `member "${this.#host.member}" has started again, because its name was used by another process, or its clock stopped for a while: give every member a name of its own`,
        );
    this.#generation = generation;
    if (!this.#hasSlept) shell.raiseBriefly('name', why);
    else {
      const shownMs = shownThresholds * settings.options.thresholdMs;
      this.#warnings.raise('clock', why, after(this.#host.clock.now(), shownMs));
    }
    this.#hasSlept = false;
  }
}
