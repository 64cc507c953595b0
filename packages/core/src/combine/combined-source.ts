// The source that `combine` returns: a member leads a partition if it leads it in every part.
import type { Observable } from 'rxjs';
import { raceSignal } from '../async/race-signal.ts';
import type { LeadershipEvent, LeadershipEventKind } from '../contract/event.ts';
import type { Guarantees } from '../contract/guarantees.ts';
import type { Health } from '../contract/health.ts';
import type { Roster } from '../contract/leader.ts';
import type { LossReason } from '../contract/leadership.ts';
import type { LeadershipError } from '../contract/leadership-error.ts';
import type { Abortable } from '../contract/options.ts';
import type { LeadOptions, Role, Work } from '../contract/role.ts';
import type { LeadershipSource } from '../contract/source.ts';
import type { Term } from '../contract/term.ts';
import { drainedFor } from '../process/work-scope.ts';
import { type Command, commanded } from '../source/command.ts';
import { EventLog } from '../source/event-log.ts';
import { detailsOf, type EventDetails, eventOf } from '../source/event-record.ts';
import { type HealthTracker, healthTracker } from '../source/health-tracker.ts';
import { type Held, heldOf } from '../source/held.ts';
import { type LeadContext, leadEach } from '../source/lead.ts';
import { type Leaderless, leaderless, leaderlessMs } from '../source/leaderless.ts';
import { type Leaders, leaders } from '../source/leaders.ts';
import type { LiveTerm } from '../source/live-term.ts';
import { partitionOf } from '../source/partition-of.ts';
import { type RoleContext, RoleView } from '../source/role-view.ts';
import { slowDrain } from '../source/slow-drain.ts';
import { sourceJson } from '../source/source-json.ts';
import type { Combination } from './combination.ts';
import { type CombinedListener, CombinedSeat } from './combined-leadership.ts';
import { healthOf } from './health-of.ts';
import { Part } from './part.ts';

/** The events of the sources that the combination passes on. It emits the other kinds itself. */
const passedOn: readonly LeadershipEventKind[] = ['trouble', 'warning', 'mended'];

/** A source to combine, and its internal commands. */
export interface Ingredient {
  readonly source: LeadershipSource;
  readonly command: Command;
}

/** Returns the greatest T and the greatest cap on T. Milliseconds. */
function thresholdsOf(all: readonly Ingredient[]): [thresholdMs: number, thresholdMsMax: number] {
  return [
    Math.max(...all.map(({ command }) => command.thresholdMs)),
    Math.max(...all.map(({ command }) => command.thresholdMsMax)),
  ];
}

/** Several sources combined into one, which owns them: closing it closes them. */
export class CombinedSource implements LeadershipSource, CombinedListener {
  readonly group: string;
  readonly member: string;
  readonly partitions: number;
  readonly guarantees: Guarantees;
  readonly #combination: Combination;
  readonly #sources: readonly LeadershipSource[];
  readonly #ready: Promise<unknown>;
  readonly #seats: readonly CombinedSeat[];
  readonly #worlds: readonly RoleContext[];
  readonly #held: Held;
  readonly #leaders: Leaders;
  readonly #events: EventLog;
  /** The troubles of the combination itself. Each source tracks its own. */
  readonly #vitals: HealthTracker;
  readonly #leaderless: Leaderless;
  #closed: Promise<void> | undefined;

  constructor(first: Ingredient, later: readonly Ingredient[], combination: Combination) {
    const all = [first, ...later];
    const { member, partitions } = first.source;
    const { metadata, thresholdMs, clock, random } = first.command;
    this.#combination = combination;
    this.#sources = all.map(({ source }) => source);
    this.group = [...new Set(this.#sources.map(({ group }) => group))].join(
      combination.name === 'anyOf' ? ' | ' : ' & ',
    );
    this.#events = new EventLog(this.group);
    this.member = member;
    this.partitions = partitions;
    this.guarantees = combination.guarantees(this.#sources.map(({ guarantees }) => guarantees));
    this.#seats = Array.from({ length: partitions }, (_, partition) => {
      const part = ({ source, command }: Ingredient): Part => new Part(source, command, partition);
      return new CombinedSeat(partition, part(first), later.map(part), combination, this);
    });
    const refresh = (): void => this.#seats.forEach((seat) => seat.refresh());
    this.#held = heldOf(this.#seats, refresh);
    this.#leaders = leaders({
      incarnation: crypto.randomUUID(),
      options: { member, metadata, partitions },
      tokenOf: (partition) => this.#seats[partition]?.token,
      leadsHere: (partition) => this.#seats[partition]?.isLeading() === true,
      refresh,
    });
    const reporter = first.command.reporter;
    this.#vitals = healthTracker(clock, {
      raised: (level, trouble) => {
        reporter.raised(level, trouble);
        this.#tell(level, detailsOf(trouble));
      },
      mended: (trouble) => {
        reporter.mended(trouble);
        this.#tell('mended', detailsOf(trouble));
      },
    });
    this.#leaderless = leaderless({
      partitions,
      clock,
      patienceMs: leaderlessMs(this.guarantees, ...thresholdsOf(all)),
      trouble: (complaint) => this.#vitals.trouble(complaint),
    });
    this.#worlds = this.#seats.map((seat) => ({
      seat,
      leaders: this.#leaders,
      leading: this.#leading(seat, thresholdMs, random),
    }));
    this.#offerCommand(all, first.command);
    this.#ready = combination.ready(this.#sources.map((source) => source.ready()));
    this.#begin();
  }

  get held$(): Observable<ReadonlyMap<number, Term>> {
    return this.#held.held$;
  }

  get roster$(): Observable<Roster> {
    return this.#leaders.roster$;
  }

  get events$(): Observable<LeadershipEvent> {
    return this.#events.events$;
  }

  async ready({ signal }: Abortable = {}): Promise<void> {
    await raceSignal(this.#ready, signal);
  }

  role(key: string | number): Role {
    const partition = partitionOf(key, this.partitions);
    const world = this.#worlds[partition];
    if (world === undefined) throw new RangeError(`partition ${partition} does not exist`);
    return new RoleView(key, world);
  }

  leadEach(work: Work, options: LeadOptions = {}): Promise<void> {
    return leadEach(
      this.#worlds.map(({ leading }) => leading),
      work,
      options,
    );
  }

  held(): ReadonlyMap<number, Term> {
    return this.#held.held();
  }

  roster(): Roster {
    return this.#leaders.roster();
  }

  health(): Health {
    return healthOf(this.#sources, this.#combination, this.#vitals.health());
  }

  close(options: Abortable = {}): Promise<void> {
    const closing = Promise.allSettled(this.#sources.map((source) => source.close(options)));
    this.#closed ??= this.#close(closing);
    const closed = this.#closed;
    return drainedFor(
      closing.then(() => closed),
      (term) => this.#seats[term.partition]?.runs(term) === true,
    );
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  toJSON(): Readonly<Record<string, unknown>> {
    return sourceJson(this);
  }

  began(partition: number, { token }: LiveTerm): void {
    this.#held.changed();
    this.#leaders.began(partition);
    this.#leaderless.set(partition, true);
    this.#tell('acquired', { partition, token });
  }

  revoked(partition: number, { token }: LiveTerm): void {
    this.#tell('revoked', { partition, token });
  }

  drainsSlowly(term: LiveTerm, timeoutMs: number): Disposable {
    return this.#vitals.warning(slowDrain(term, timeoutMs));
  }

  ended(partition: number, { token }: LiveTerm, loss: LossReason | 'released'): void {
    this.#held.changed();
    this.#leaders.ended(partition);
    this.#leaderless.set(partition, false);
    this.#tell(loss === 'released' ? 'released' : 'fenced', {
      partition,
      token,
      ...(loss !== 'released' && { reason: loss }),
    });
    this.#tellLeader(partition);
  }

  /**
   * Closes the remaining sources if too few are left ever to lead again, so that other members can
   * lead there.
   */
  closed(): void {
    const isOpen = ({ isClosed }: Part): boolean => !isClosed;
    const [seat] = this.#seats;
    if (
      this.#closed !== undefined ||
      seat === undefined ||
      this.#combination.holds(seat.parts, isOpen)
    )
      return;
    const isAccepted = ({ refusal }: Part): boolean => refusal === undefined;
    const refusal = this.#combination.holds(seat.parts, isAccepted)
      ? undefined
      : seat.parts.find((part) => !isAccepted(part))?.refusal;
    if (refusal) this.#refuse(refusal);
    this.close().catch(() => undefined);
  }

  #refuse(error: LeadershipError): void {
    this.#leaderless[Symbol.dispose]();
    for (const seat of this.#seats) seat.refuse(error);
    this.#tell('refused', detailsOf(error));
  }

  #begin(): void {
    for (const seat of this.#seats) seat.begin();
    for (const seat of this.#seats)
      for (const { role } of seat.parts) role.leader$.subscribe(() => this.#hear(seat));
    for (const { events$ } of this.#sources) events$.subscribe((event) => this.#passOn(event));
    this.#ready.then(
      () => {
        this.#leaderless.start();
        this.#tell('ready');
      },
      () => undefined,
    );
  }

  /**
   * Waits until every source is closed, then ends the streams. Rejects with the first error of a
   * source that could not be closed.
   */
  async #close(closing: Promise<readonly PromiseSettledResult<void>[]>): Promise<void> {
    const ends = await closing;
    this.#leaderless[Symbol.dispose]();
    for (const seat of this.#seats) seat.complete();
    this.#held.complete();
    this.#leaders.complete();
    this.#tell('closed');
    this.#events.complete();
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  }

  #leading(seat: CombinedSeat, thresholdMs: number, random: () => number): LeadContext {
    return {
      thresholdMs,
      random,
      leadership: seat.leadership,
      resign: (abstainMs) => seat.resign(abstainMs),
      trouble: (code, message, cause) =>
        this.#vitals.trouble({ code, message, cause, partition: seat.partition }),
    };
  }

  /** Provides the commands that allow combining a combination. */
  #offerCommand(all: readonly Ingredient[], first: Command): void {
    const { follows } = this.#combination;
    const led = follows ? [first] : all.map((one) => one.command);
    commanded(this, {
      clock: first.clock,
      random: first.random,
      reporter: first.reporter,
      metadata: first.metadata,
      thresholdMs: Math.max(...all.map((one) => one.command.thresholdMs)),
      thresholdMsMax: Math.max(...all.map((one) => one.command.thresholdMsMax)),
      drainTimeoutMs: Math.min(...all.map((one) => one.command.drainTimeoutMs)),
      campaigns: this.#seats[0]?.campaigns ?? false,
      follows: led.every((one) => one.follows),
      isClosing: () => this.#closed !== undefined,
      taken: () => this.#leaderless.retire(),
      resign: async (partition, abstainMs) => await this.#seats[partition]?.resign(abstainMs),
      standBy: (partition, above) => led.forEach((one) => one.standBy(partition, above)),
    });
  }

  #hear(seat: CombinedSeat): void {
    seat.learn();
    this.#tellLeader(seat.partition);
  }

  /** Reports a leader on another member. If this member leads, its own term is authoritative. */
  #tellLeader(partition: number): void {
    const seat = this.#seats[partition];
    if (seat === undefined || seat.isLeading()) return;
    const leader = this.#combination.leader(seat.parts.map(({ role }) => role.leader()));
    const known = leader?.self === false ? { ...leader, incarnation: '' } : undefined;
    this.#leaderless.set(partition, known !== undefined);
    if (!this.#leaders.set(partition, known)) return;
    this.#tell('leader', { partition, ...(known && { leader: known.member, token: known.token }) });
  }

  #passOn(event: LeadershipEvent): void {
    if (passedOn.includes(event.kind)) this.#events.tell(event);
  }

  #tell(kind: LeadershipEventKind, details?: EventDetails): void {
    if (this.#events.observed) this.#events.tell(eventOf(kind, this.member, details));
  }
}
