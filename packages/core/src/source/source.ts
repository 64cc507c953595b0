// The `LeadershipSource` of every backend: roles, leaders, health and events over one backend.
import type { Observable } from 'rxjs';
import { type Deferred, deferred } from '../async/deferred.ts';
import { Once } from '../async/once.ts';
import { raceSignal } from '../async/race-signal.ts';
import type { Backend, Host, Membership } from '../contract/backend.ts';
import type { LeadershipEvent } from '../contract/event.ts';
import type { Guarantees } from '../contract/guarantees.ts';
import type { Health } from '../contract/health.ts';
import type { Roster } from '../contract/leader.ts';
import { LeadershipError } from '../contract/leadership-error.ts';
import type { GroupMember } from '../contract/member.ts';
import type { Abortable } from '../contract/options.ts';
import type { ResolvedOptions } from '../contract/resolved-options.ts';
import type { LeadOptions, Role, Work } from '../contract/role.ts';
import type { LeadershipSource } from '../contract/source.ts';
import type { Term } from '../contract/term.ts';
import { manyListeners } from '../process/many-listeners.ts';
import { onAbort } from '../process/on-abort.ts';
import { onSignals } from '../process/on-signals.ts';
import { drainedFor } from '../process/work-scope.ts';
import type { Clock } from '../time/clock.ts';
import { after } from '../time/instant.ts';
import { type SuspendWatch, systemSuspendWatch } from '../time/suspend-watch.ts';
import { offerCommand } from './command.ts';
import { createHost } from './create-host.ts';
import { SourceGuard } from './guarded.ts';
import { leadContextOf, leadEach } from './lead.ts';
import { offerLeases } from './observed-lease.ts';
import type { PartitionLeadership } from './partition-leadership.ts';
import { partitionOf } from './partition-of.ts';
import { type RoleContext, RoleView } from './role-view.ts';
import { sourceJson } from './source-json.ts';
import { SourceState } from './source-state.ts';

/** A suspend watch that never detects sleep, for backends whose guarantees do not depend on it. */
const sleepless = { slept: (): boolean => false };

/** The environment of a source. */
export interface SourceParts {
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  /** Default: that of the system, if the guarantees assume that the machine does not sleep. */
  readonly suspends?: SuspendWatch;
  /** Default: a random one. */
  readonly incarnation?: string;
}

export class Source implements LeadershipSource {
  readonly group: string;
  readonly member: string;
  readonly partitions: number;
  readonly #guarantees: Guarantees;
  readonly #state: SourceState;
  /** By partition, created when first needed. */
  readonly #contexts = new Map<number, RoleContext>();
  readonly #contextOf: (leadership: PartitionLeadership) => RoleContext;
  readonly #membership: Membership;
  readonly #guard: SourceGuard;
  readonly #host: Host;
  readonly #ready: Deferred<void> = deferred();
  /** Aborts when closing must not wait any longer. */
  readonly #abortDrain = new AbortController();
  readonly #unlisten: () => void;
  /** Listens until the source is closed, because a second signal ends the process. */
  readonly #signals: Disposable;
  readonly #closing = new Once();
  /** How long a close that waits for no work waits for the store. Milliseconds. */
  readonly #releaseMs: number;
  #limit: Disposable | undefined;

  constructor(backend: Backend, options: ResolvedOptions, parts: SourceParts) {
    const { clock, random, incarnation } = parts;
    this.group = options.group;
    this.member = options.member;
    this.partitions = options.partitions;
    this.#guarantees = backend.guarantees;
    const { thresholdMs } = options;
    this.#releaseMs = thresholdMs / 3;
    const ofSystem = (): SuspendWatch =>
      backend.guarantees.assumes.includes('no-suspend') ? systemSuspendWatch() : sleepless;
    const { suspends = ofSystem() } = parts;
    const state = new SourceState(options, backend.guarantees, clock, suspends, incarnation);
    this.#state = state;
    this.#contextOf = (leadership) => ({
      leadership,
      leaders: state.leaders,
      leadContext: leadContextOf(leadership, { clock, random, thresholdMs }, state, (abstainMs) =>
        this.#resign(leadership.partition, abstainMs),
      ),
      guarantees: () => this.guarantees,
      exceed: (token) => this.#membership.exceed?.(leadership.partition, token),
      replaceText: () => this.#membership.replaceText?.bind(this.#membership),
    });
    this.#host = createHost({
      state,
      options,
      random,
      ready: this.#ready,
      signal: manyListeners(this.#abortDrain.signal),
    });
    this.#membership = backend.start(this.#host);
    state.publication.start((publication) => this.#membership.publish?.(publication));
    this.#offerCommand(options, clock, random);
    this.#guard = this.#guardOf(options);
    offerLeases(this, this.#membership, state.members);
    const listening: { abort?: Disposable } = {};
    this.#unlisten = () => listening.abort?.[Symbol.dispose]();
    const close = (): void => void this.close().catch(() => undefined);
    listening.abort = onAbort(options.signal, close);
    this.#signals = onSignals(options.signals, close);
  }

  get guarantees(): Guarantees {
    return this.#guard.guarantees(this.#guarantees);
  }

  get held$(): Observable<ReadonlyMap<number, Term>> {
    return this.#state.held.held$;
  }

  get roster$(): Observable<Roster> {
    return this.#state.leaders.roster$;
  }

  get members$(): Observable<readonly GroupMember[]> {
    return this.#state.members.members$;
  }

  get events$(): Observable<LeadershipEvent> {
    return this.#state.events.events$;
  }

  ready({ signal }: Abortable = {}): Promise<void> {
    return raceSignal(this.#ready.promise, signal);
  }

  role(key: string | number): Role {
    const role = new RoleView(key, this.#context(partitionOf(key, this.partitions)));
    this.#state.publication.role(key);
    return role;
  }

  leadEach(work: Work, options: LeadOptions = {}): Promise<void> {
    return leadEach(
      this.#state.leaderships.map(({ partition }) => this.#context(partition).leadContext),
      work,
      options,
    );
  }

  held(): ReadonlyMap<number, Term> {
    return this.#state.held.held();
  }

  roster(): Roster {
    return this.#state.leaders.roster();
  }

  members(): readonly GroupMember[] {
    return this.#state.members.members();
  }

  health(): Health {
    return this.#state.healthTracker.health();
  }

  close({ signal }: Abortable = {}): Promise<void> {
    this.#state.healthTracker.isClosed = true;
    const listening = onAbort(signal, () => this.#endNow());
    const closed = this.#closing
      .run(() => this.#close())
      .finally(() => listening[Symbol.dispose]());
    return drainedFor(
      closed,
      (term) => this.#state.leaderships[term.partition]?.runs(term) === true,
    );
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  toJSON(): Readonly<Record<string, unknown>> {
    return sourceJson(this);
  }

  #context(partition: number): RoleContext {
    const leadership = this.#state.leaderships[partition];
    if (leadership === undefined) throw new RangeError(`partition ${partition} does not exist`);
    const context = this.#contexts.get(partition) ?? this.#contextOf(leadership);
    this.#contexts.set(partition, context);
    return context;
  }

  #offerCommand(options: ResolvedOptions, clock: Clock, random: () => number): void {
    const { metadata, thresholdMs, thresholdMsMax, drainTimeoutMs, campaign, partitionsMax } =
      options;
    offerCommand(this, {
      clock,
      random,
      reporter: this.#state.reporter,
      metadata,
      thresholdMs,
      thresholdMsMax,
      drainTimeoutMs,
      campaigns: campaign,
      partitionsMax,
      capacity: () => this.#state.leaderless.capacity(),
      follows: this.#membership.standBy !== undefined,
      isClosing: () => this.#closing.hasBegun,
      resign: (partition, abstainMs) => this.#resign(partition, abstainMs),
      suffers: (code) => this.#state.publication.combined(code),
      asksFor: (role) => this.#state.publication.role(role),
      taken: () => this.#state.leaderless.retire(),
      standBy: (partition, above) => this.#membership.standBy?.(partition, above),
      exceed: (partition, token) => this.#membership.exceed?.(partition, token),
    });
  }

  #guardOf(options: ResolvedOptions): SourceGuard {
    const membership = this.#membership;
    const exposed = (error: LeadershipError): void => {
      this.#host.refused(error.code, error.message);
      membership.campaign(false);
    };
    return new SourceGuard(this, { options, state: this.#state, membership, exposed });
  }

  async #resign(partition: number, abstainMs: number): Promise<void> {
    await this.#membership.resign(partition, abstainMs);
  }

  /**
   * Waits for no work any more: terms whose work runs end at once. The others are released, for which
   * the store has the time of one request.
   */
  #endNow(): void {
    const { clock, leaderships } = this.#state;
    this.#state.fenceWorking('closed');
    const end = (): void => this.#abortDrain.abort();
    if (leaderships.every(({ token }) => token === undefined)) end();
    else this.#limit ??= clock.wake(after(clock.now(), this.#releaseMs), end);
  }

  async #close(): Promise<void> {
    this.#unlisten();
    this.#ready.reject(
      new LeadershipError(
        'closed',
        `the source of member "${this.member}" was closed before it was ready`,
      ),
    );
    try {
      await this.#membership.close();
    } finally {
      this.#limit?.[Symbol.dispose]();
      this.#abortDrain.abort();
      this.#state.complete();
      await this.#guard.leave();
      this.#signals[Symbol.dispose]();
    }
  }
}
