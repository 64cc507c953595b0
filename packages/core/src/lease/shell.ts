// The shell of a member: performs what the machine decides, at the store and at the host, and feeds
// it the answers. It knows no rule.
import { nextWake } from '../async/latest-value.ts';
import { retry, retryUntilDone } from '../async/retry.ts';
import { withTimeout } from '../async/with-timeout.ts';
import type { Host, Membership, Publication } from '../contract/backend.ts';
import { LeadershipError } from '../contract/leadership-error.ts';
import type { ResolvedOptions } from '../contract/resolved-options.ts';
import { contradiction } from '../engine/contradiction.ts';
import { Driver, type NewTimer } from '../engine/driver.ts';
import { toLeadershipError } from '../engine/health-reporter.ts';
import { MembershipShell } from '../engine/membership-shell.ts';
import { inTurn, laterTurn, nextTurn } from '../process/next-turn.ts';
import { openingMsOf } from '../rows/notifications.ts';
import type { Exchanged, NamedText, Rows } from '../rows/rows.ts';
import { type Instant, never } from '../time/instant.ts';
import { isReleasing } from './closing.ts';
import { configOf } from './config.ts';
import { endOf } from './ends.ts';
import type { KeptTexts } from './kept-texts.ts';
import { isUnsure } from './members.ts';
import { newMember } from './new-member.ts';
import { leaseMsOf } from './owners.ts';
import { endOfTerm } from './ownership.ts';
import { limitShare } from './pauses.ts';
import { Reports } from './reports.ts';
import type { LeaseRules } from './rules.ts';
import type { MemberState } from './state.ts';
import { step } from './step.ts';
import type { Input, LeaseConfig, Output } from './types.ts';

/** The number of rows of an answer that a step takes, so that the event loop keeps its turns. */
const rowsPerStep = 512;

/** How long a store may take to be prepared, in T: it may have to create a table. */
const openingThresholds = 10;

/** The topics of troubles that the machine does not know of. */
const opening = 'opening';
const listening = 'listening';

/** A running member. Beside the sources that combine others, a memory group may place partitions. */
export interface LeaseMembership extends Membership {
  /** Lets this member lead the partition by its placement, by command, or not. */
  prefer(partition: number, who: 'placement' | 'self' | 'nobody'): void;
}

/** Further values of the pin, and the part of the group that is in the store. */
type Part = Pick<LeaseConfig, 'pinned' | 'shard'>;

/** Starts this member's part in the election over the rows of a store. */
export function leaseMembership(
  rules: LeaseRules,
  options: ResolvedOptions,
  rows: Rows,
  host: Host,
  part: Part = {},
  kept?: KeptTexts,
): LeaseMembership {
  return new LeaseShell(rules, options, rows, host, part, kept);
}

type Exchanging = Output & { readonly kind: 'exchange' };

class LeaseShell implements LeaseMembership {
  readonly replaceText?: NonNullable<Membership['replaceText']>;
  readonly #shell: MembershipShell;
  readonly #thresholdMs: number;
  readonly #rows: Rows;
  readonly #kept: KeptTexts | undefined;
  readonly #driver: Driver<MemberState, Input, Output>;
  /** The tokens of the terms that the host has, by partition. */
  readonly #terms = new Map<number, bigint>();
  readonly #reports = new Reports({
    report: ({ partition, leader, before }) =>
      this.#shell.host.leads(partition, leader, endOf(this.#driver.state, partition, before)),
    later: (goOn) =>
      void laterTurn(this.#shell.host.clock).then(() => this.#shell.signal.aborted || goOn()),
  });
  /** The last error of the store: the cause of the trouble that the machine reports. */
  #error: unknown;
  /** Whether the machine may be woken: once the store is prepared, or the member leaves. */
  #isAwake = false;
  #mayCreate: boolean;

  constructor(
    rules: LeaseRules,
    options: ResolvedOptions,
    rows: Rows,
    host: Host,
    part: Part,
    kept: KeptTexts | undefined,
  ) {
    const { thresholdMs, campaign } = options;
    const refused = (): void => {
      this.campaign(false);
      this.#feed({ kind: 'refuse' });
    };
    this.#thresholdMs = thresholdMs;
    this.#rows = rows;
    this.#kept = kept;
    if (kept) this.replaceText = (name, next) => kept.replace(name, next, this.#mayCreate);
    this.#mayCreate = campaign;
    this.#shell = new MembershipShell({ host, thresholdMs, refused });
    this.#driver = new Driver({
      clock: host.clock,
      timer: this.#timer,
      state: newMember({ ...configOf(options, rows, host), ...part }, rules),
      step: (state, input, moment) => ({ state, ...step(state, input, moment) }),
      perform: (output) => this.#perform(output),
    });
    if (rows.open === undefined) this.#begin();
    else void this.#open().then((isOpen) => isOpen && this.#begin());
  }

  campaign(on: boolean, partition?: number): void {
    if (this.#shell.isClosed || (on && this.#shell.admission === 'refused')) return;
    this.#feed({ kind: 'campaign', on, ...(partition !== undefined && { partition }) });
    // A member that stops for one partition may still campaign for others.
    if (on === this.#mayCreate || (!on && partition !== undefined)) return;
    this.#mayCreate = on;
    if (on) void this.#open();
    // Before it is awake, the call that runs sees to it. A member that is refused sends nothing more.
    else if (this.#isAwake && this.#shell.admission !== 'refused') void this.#openAsObserver();
  }

  standBy(partition: number, above: bigint | undefined): void {
    const who = above === undefined ? 'nobody' : 'self';
    this.#feed({ kind: 'prefer', partition, who, ...(above !== undefined && { above }) });
  }

  publish(publication: Publication): void {
    this.#feed({ kind: 'publish', ...publication });
  }

  exceed(partition: number, token: bigint): void {
    this.#feed({ kind: 'exceed', partition, token });
  }

  prefer(partition: number, who: 'placement' | 'self' | 'nobody'): void {
    this.#feed({ kind: 'prefer', partition, who });
  }

  async resign(partition: number, abstainMs = 0): Promise<void> {
    const isOver = endOfTerm(this.#driver.state, partition);
    this.#feed({ kind: 'resign', partition, abstainMs });
    await this.#driver.until(isOver, this.#shell.host.signal);
  }

  async died(incarnation: string): Promise<void> {
    this.#feed({ kind: 'died', incarnation });
    const isBuried = (): boolean => !this.#driver.state.dead.has(incarnation);
    await this.#driver.until(isBuried, this.#shell.signal);
  }

  leaseMs(partition: number): number | undefined {
    return leaseMsOf(this.#driver.state, partition, this.#shell.host.clock.now());
  }

  isUnsure(): boolean {
    return isUnsure(this.#driver.state, this.#shell.host.clock.now());
  }

  close(): Promise<void> {
    const leave = async (): Promise<void> => {
      this.#isAwake = true;
      this.#feed({ kind: 'close' });
      const isClosed = (): boolean => this.#driver.state.phase === 'closed';
      await this.#driver.until(isClosed, this.#shell.host.signal);
      if (!isClosed()) await this.#released();
    };
    return this.#shell.close(
      leave,
      () => this.#rows.close(),
      () => this.#kept?.close(),
    );
  }

  /** Releases the terms that had drained when the host ceased to wait, in the time of one request. */
  async #released(): Promise<void> {
    const { host, signal } = this.#shell;
    const limitMs = this.#thresholdMs * limitShare;
    const isOver = (): boolean => !isReleasing(this.#driver.state);
    const released = (until: AbortSignal): Promise<void> => this.#driver.until(isOver, until);
    await withTimeout({ clock: host.clock, limitMs, signal }, released).catch(() => undefined);
  }

  /**
   * A wake that is due waits for a turn of the event loop, for all inputs of this turn. The timers of
   * a test may be fake, and advanced by the test or not: the turn that comes first counts.
   */
  readonly #timer: NewTimer = (due) => {
    const { clock } = this.#shell.host;
    let wakeAt: Instant = never;
    let isTurnNext = false;
    const dueNow = (): void => {
      if (wakeAt <= clock.now() && !this.#shell.signal.aborted) due();
    };
    const fire = (): void => inTurn(dueNow, clock);
    const turned = (): void => {
      isTurnNext = false;
      fire();
    };
    const set = this.#shell.timer(fire);
    return (at) => {
      wakeAt = this.#isAwake ? at : never;
      set(wakeAt);
      if (isTurnNext || wakeAt > clock.now()) return;
      isTurnNext = true;
      void nextTurn(clock).then(turned);
    };
  };

  #feed(input: Input): void {
    if (!this.#shell.signal.aborted) this.#driver.feed(input);
  }

  #begin(): void {
    this.#isAwake = true;
    this.#feed({ kind: 'wake' });
    this.#listen();
  }

  /** Prepares the store, again and again. Returns whether it is. */
  async #open(): Promise<boolean> {
    const { host, health, backOff, signal } = this.#shell;
    const attempt = async (): Promise<true> => {
      await this.#openOnce();
      health.mend(opening);
      return true;
    };
    const broke = (error: unknown): boolean =>
      this.#shell.failed(opening, toLeadershipError(error, this.#rows.name));
    const open = retryUntilDone({ attempt, broke }, backOff, host.clock, signal);
    return open.catch(() => false);
  }

  /** Lets the store create nothing any more. If that fails, so do the exchanges, which report it. */
  async #openAsObserver(): Promise<void> {
    await this.#openOnce().catch(() => undefined);
  }

  /** Prepares the store; again, if this member may or may not create any more what it needs. */
  #openOnce(): Promise<void> {
    const { host, signal } = this.#shell;
    const limitMs = Math.max(openingThresholds * this.#thresholdMs, openingMsOf(this.#thresholdMs));
    return withTimeout({ clock: host.clock, limitMs, signal }, async (until) => {
      for (let opened: boolean | undefined; opened !== this.#mayCreate; ) {
        opened = this.#mayCreate;
        await this.#rows.open?.(until, opened);
      }
    });
  }

  #listen(): void {
    const { host, health, backOff, signal } = this.#shell;
    if (this.#rows.listen === undefined) return;
    const notified = (rows?: readonly NamedText[]): void =>
      this.#feed({ kind: 'notified', ...(rows && { rows }) });
    const attempt = async (): Promise<void> => {
      await this.#rows.listen?.(notified, signal);
      health.mend(listening);
      // Changes from before were not notified.
      notified();
      await nextWake(new Set(), signal);
    };
    const broke = (error: unknown): true => {
      health.raise(listening, toLeadershipError(error, this.#rows.name));
      return true;
    };
    void retry({ attempt, broke }, backOff, host.clock, signal);
  }

  #perform(output: Output): void {
    const { host, health } = this.#shell;
    if ('partition' in output) this.#reports.settle(output.partition);
    switch (output.kind) {
      case 'exchange':
        return void this.#exchange(output);
      case 'floor':
        return void this.#floor(output);
      case 'granted':
        this.#terms.set(output.partition, output.token);
        return this.#prove(output.partition, output.token);
      case 'prolonged':
        return this.#prolong(output);
      case 'drain':
        return void this.#drain(output);
      case 'released':
        this.#terms.delete(output.partition);
        return host.released(output.partition);
      case 'lost':
        this.#terms.delete(output.partition);
        return host.lost(output.partition, output.reason);
      case 'members':
        return host.members(output.members);
      case 'capacity':
        return host.capacity(output.capacity);
      case 'leader':
        return this.#reports.add(output, this.#driver.state.now);
      case 'trouble':
        return health.raise(output.topic, this.#errorOf(output));
      case 'mended':
        return health.mend(output.topic);
      case 'refused':
        return this.#shell.refuse('pin', new LeadershipError(output.code, output.message, output));
      case 'broken':
        return this.#shell.raiseBriefly('broken', contradiction(output.partition, output.rule));
      case 'ignored':
        return host.ignored(output.what);
      case 'confirmed':
        return host.confirmed();
      case 'ready':
        return this.#reports.whenSettled(() => this.#shell.ready());
    }
  }

  /** Reports the deadline of all terms. If the one before is over, the host may have ended some. */
  #prolong({ until, sentAt }: Output & { readonly kind: 'prolonged' }): void {
    if (this.#shell.host.prolonged(until, sentAt) === 'prolonged') return;
    for (const [partition, token] of this.#terms) this.#prove(partition, token);
  }

  /** Reports a term. One that the host has ended is over. */
  #prove(partition: number, token: bigint): void {
    const answer = this.#shell.host.granted({ partition, token });
    if (answer === 'over') this.#feed({ kind: 'over', partition, token });
  }

  async #drain({ partition, token }: Output & { readonly kind: 'drain' }): Promise<void> {
    const end = await this.#shell.host.drain(partition);
    this.#feed({ kind: end, partition, token });
  }

  async #exchange({ id, limitMs, kind: _, ...request }: Exchanging): Promise<void> {
    const { host, signal } = this.#shell;
    try {
      const answer = await withTimeout({ clock: host.clock, limitMs, signal }, (until) =>
        this.#rows.exchange(request, until),
      );
      await this.#answered(id, answer);
    } catch (error) {
      this.#failed('store', id, error);
    }
  }

  async #floor({ id, limitMs, raise }: Output & { readonly kind: 'floor' }): Promise<void> {
    const { host, signal } = this.#shell;
    const { floor } = this.#rows;
    const call = async (until: AbortSignal): Promise<bigint> => {
      if (raise === undefined) return (await floor?.read(until)) ?? 0n;
      await floor?.raise(raise, until);
      return raise;
    };
    try {
      const token = await withTimeout({ clock: host.clock, limitMs, signal }, call);
      this.#feed({ kind: 'floor', id, token });
    } catch (error) {
      this.#failed('floor', id, error);
    }
  }

  async #answered(id: number, answer: Exchanged): Promise<void> {
    const { clock } = this.#shell.host;
    const { rows } = answer;
    for (let from = 0; ; from += rowsPerStep) {
      const to = from + rowsPerStep;
      const hasMore = to < rows.length;
      this.#feed({
        kind: 'exchanged',
        id,
        answer: { ...answer, rows: rows.slice(from, to) },
        hasMore,
      });
      if (!hasMore) return;
      await laterTurn(clock);
    }
  }

  #failed(topic: 'store' | 'floor', id: number, error: unknown): void {
    if (this.#shell.signal.aborted) return;
    const why = toLeadershipError(error, this.#rows.name);
    this.#error = why;
    // The next answer may end the trouble, and not its cause.
    if (why.code === 'assumption-broken') this.#shell.raiseBriefly('contradicted', why);
    this.#feed({ kind: 'failed', id, code: why.code, message: why.message });
    if (this.#shell.admission === 'pending') this.#shell.failed(topic, why);
  }

  #errorOf({ topic, ...what }: Output & { readonly kind: 'trouble' }): unknown {
    return topic === 'store' || topic === 'floor'
      ? this.#error
      : new LeadershipError(what.code, what.message, what);
  }
}
