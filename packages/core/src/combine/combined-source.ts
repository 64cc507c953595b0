// The source that `anyOf` and `allOf` return, over the sources that it combines: a member leads a
// partition if it leads it in enough of them.
import type { Observable } from 'rxjs';
import { Once } from '../async/once.ts';
import { raceSignal } from '../async/race-signal.ts';
import type { LeadershipEvent, LeadershipEventKind } from '../contract/event.ts';
import type { Guarantees } from '../contract/guarantees.ts';
import type { Health } from '../contract/health.ts';
import type { Roster } from '../contract/leader.ts';
import type { LossReason } from '../contract/leadership.ts';
import type { LeadershipError } from '../contract/leadership-error.ts';
import type { GroupMember } from '../contract/member.ts';
import type { Abortable } from '../contract/options.ts';
import type { LeadOptions, Role, Work } from '../contract/role.ts';
import type { LeadershipSource } from '../contract/source.ts';
import type { Term } from '../contract/term.ts';
import { onAbort } from '../process/on-abort.ts';
import { drainedFor } from '../process/work-scope.ts';
import { type Command, offerCommand } from '../source/command.ts';
import { EventLog } from '../source/event-log.ts';
import { detailsOf, type EventDetails, eventOf } from '../source/event-record.ts';
import { type HealthTracker, healthTracker } from '../source/health-tracker.ts';
import { type Held, heldOf } from '../source/held.ts';
import { leadContextOf, leadEach } from '../source/lead.ts';
import { type Leaderless, leaderless, leaderlessMs } from '../source/leaderless.ts';
import { type Leaders, leaders } from '../source/leaders.ts';
import type { LiveTerm } from '../source/live-term.ts';
import { partitionOf } from '../source/partition-of.ts';
import { type RoleContext, RoleView } from '../source/role-view.ts';
import { slowDrain } from '../source/slow-drain.ts';
import { sourceJson } from '../source/source-json.ts';
import { Touched } from '../source/touched.ts';
import type { Clock } from '../time/clock.ts';
import type { Combination } from './combination.ts';
import { CombinedLeadership, type CombinedListener } from './combined-leadership.ts';
import { combinedMembers, combinedMembers$ } from './combined-members.ts';
import { healthOf } from './health-of.ts';
import { Part } from './part.ts';

/** The events of the sources that the combination passes on. It emits the other kinds itself. */
const passedOn: readonly LeadershipEventKind[] = ['trouble', 'warning', 'mended'];

/** A source to combine, and its internal commands. */
export interface CombinedInput {
  readonly source: LeadershipSource;
  readonly command: Command;
}

/** Returns the greatest T and the greatest cap on T. Milliseconds. */
function thresholdsOf(
  all: readonly CombinedInput[],
): [thresholdMs: number, thresholdMsMax: number] {
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
  readonly #commands: readonly Command[];
  readonly #ready: Promise<unknown>;
  readonly #leaderships: readonly CombinedLeadership[];
  readonly #contexts: readonly RoleContext[];
  readonly #touched: Touched;
  readonly #held: Held;
  readonly #leaders: Leaders;
  readonly #events: EventLog;
  /** The troubles of the combination itself. Each source tracks its own. */
  readonly #healthTracker: HealthTracker;
  readonly #clock: Clock;
  readonly #leaderless: Leaderless;
  readonly #closing = new Once();

  constructor(first: CombinedInput, later: readonly CombinedInput[], combination: Combination) {
    const all = [first, ...later];
    const { member, partitions } = first.source;
    const { metadata, clock } = first.command;
    this.#combination = combination;
    this.#clock = clock;
    this.#sources = all.map(({ source }) => source);
    this.#commands = all.map(({ command }) => command);
    this.group = [...new Set(this.#sources.map(({ group }) => group))].join(
      combination.name === 'anyOf' ? ' | ' : ' & ',
    );
    this.#events = new EventLog(this.group);
    this.member = member;
    this.partitions = partitions;
    this.guarantees = combination.guarantees(this.#sources.map(({ guarantees }) => guarantees));
    this.#leaderships = Array.from({ length: partitions }, (_, partition) => {
      const part = ({ source, command }: CombinedInput): Part =>
        new Part(source, command, partition);
      return new CombinedLeadership(partition, part(first), later.map(part), combination, this);
    });
    this.#touched = new Touched(partitions);
    const refresh = (): void => this.#leaderships.forEach((leadership) => leadership.refresh());
    // The sources do not say when a term of theirs expires, so every partition is asked.
    const touchExpired = (): void => this.#leaderships.forEach((one) => this.#touch(one.partition));
    const terms = { leaderships: this.#leaderships, touchExpired, refresh };
    this.#held = heldOf(this.#touched, terms);
    const options = { member, metadata, partitions };
    this.#leaders = leaders({ ...terms, incarnation: crypto.randomUUID(), options });
    this.#healthTracker = healthTracker(clock, {
      reporter: first.command.reporter,
      publish: () => this.#publishTrouble(),
      emit: (kind, details) => this.#emit(kind, details),
    });
    this.#leaderless = leaderless({
      partitions,
      clock,
      limitMs: leaderlessMs(this.guarantees, ...thresholdsOf(all)),
      trouble: (complaint) => this.#healthTracker.trouble(complaint),
      capacity: () => this.#limited(all)?.capacity(),
    });
    const own = { leaders: this.#leaders, healthTracker: this.#healthTracker };
    this.#contexts = this.#leaderships.map((leadership) => ({
      leadership,
      leaders: this.#leaders,
      leadContext: leadContextOf(
        leadership,
        first.command,
        own,
        leadership.resign.bind(leadership),
      ),
      guarantees: () => this.guarantees,
      exceed: (token) => all.forEach(({ command }) => command.exceed(leadership.partition, token)),
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

  get members$(): Observable<readonly GroupMember[]> {
    return combinedMembers$(this.#sources, this.roster$);
  }

  get events$(): Observable<LeadershipEvent> {
    return this.#events.events$;
  }

  async ready({ signal }: Abortable = {}): Promise<void> {
    await raceSignal(this.#ready, signal);
  }

  role(key: string | number): Role {
    const partition = partitionOf(key, this.partitions);
    const context = this.#contexts[partition];
    if (context === undefined) throw new RangeError(`partition ${partition} does not exist`);
    for (const { asksFor } of this.#commands) asksFor(key);
    return new RoleView(key, context);
  }

  leadEach(work: Work, options: LeadOptions = {}): Promise<void> {
    return leadEach(
      this.#contexts.map(({ leadContext }) => leadContext),
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

  members(): readonly GroupMember[] {
    return combinedMembers(
      this.#sources.map((source) => source.members()),
      this.roster(),
    );
  }

  health(): Health {
    return healthOf(this.#sources, this.#combination, this.#healthTracker.health());
  }

  close({ signal }: Abortable = {}): Promise<void> {
    const now = new AbortController();
    const closed = this.#closing.run(() => this.#close(now));
    // A later call passes its signal to the sources as well.
    const closing = this.#closeSources(now);
    const listening = onAbort(signal, () => void this.#endNow().then(() => now.abort()));
    return drainedFor(
      closing.then(() => closed).finally(() => listening[Symbol.dispose]()),
      (term) => this.#leaderships[term.partition]?.runs(term) === true,
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
    this.#emit('acquired', { partition, token });
  }

  revoked(partition: number, { token }: LiveTerm): void {
    this.#emit('revoked', { partition, token });
  }

  drainsSlowly(term: LiveTerm, timeoutMs: number): Disposable {
    return this.#healthTracker.warning(slowDrain(term, timeoutMs));
  }

  ended(partition: number, { token }: LiveTerm, loss: LossReason | 'released'): void {
    this.#held.changed();
    this.#leaders.ended(partition);
    this.#leaderless.set(partition, false);
    this.#emit(loss === 'released' ? 'released' : 'fenced', {
      partition,
      token,
      ...(loss !== 'released' && { reason: loss }),
    });
    this.#emitLeader(partition);
  }

  /**
   * Closes the remaining sources if too few are left ever to lead again, so that other members can
   * lead there.
   */
  closed(): void {
    const isOpen = ({ isClosed }: Part): boolean => !isClosed;
    const [leadership] = this.#leaderships;
    if (
      this.#closing.hasBegun ||
      leadership === undefined ||
      this.#combination.holds(leadership.parts, isOpen)
    )
      return;
    const isAccepted = ({ refusal }: Part): boolean => refusal === undefined;
    const refusal = this.#combination.holds(leadership.parts, isAccepted)
      ? undefined
      : leadership.parts.find((part) => !isAccepted(part))?.refusal;
    if (refusal) this.#refuse(refusal);
    this.close().catch(() => undefined);
  }

  /** Each group of the combination lists this member, so each shows its trouble. */
  #publishTrouble(): void {
    const code = this.#healthTracker.health().troubles[0]?.code;
    for (const { suffers } of this.#commands) suffers(code);
  }

  #touch(partition: number): void {
    this.#touched.add(partition);
    this.#leaders.touch(partition);
  }

  #refuse(error: LeadershipError): void {
    this.#leaderless[Symbol.dispose]();
    for (const leadership of this.#leaderships) leadership.refuse(error);
    this.#emit('refused', detailsOf(error));
  }

  #begin(): void {
    for (const leadership of this.#leaderships) leadership.begin();
    for (const leadership of this.#leaderships)
      for (const { role } of leadership.parts)
        role.leader$.subscribe(() => this.#receive(leadership));
    for (const { events$ } of this.#sources) events$.subscribe((event) => this.#passOn(event));
    this.#ready.then(
      () => {
        this.#leaderless.start();
        this.#emit('ready');
      },
      () => undefined,
    );
  }

  /**
   * Waits until every source is closed, then ends the streams. Rejects with the first error of a
   * source that could not be closed.
   */
  async #close(options: Abortable): Promise<void> {
    const ends = await this.#closeSources(options);
    this.#leaderless[Symbol.dispose]();
    for (const leadership of this.#leaderships) leadership.complete();
    this.#held.complete();
    this.#leaders.complete();
    this.#emit('closed');
    this.#events.complete();
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  }

  /** The sources wait for the whole as for work. They fence what it still holds when this resolves. */
  async #endNow(): Promise<void> {
    await Promise.all(this.#leaderships.map((leadership) => leadership.releaseIdle()));
  }

  #closeSources(options: Abortable): Promise<readonly PromiseSettledResult<void>[]> {
    return Promise.allSettled(this.#sources.map((source) => source.close(options)));
  }

  /** Provides the commands that allow combining a combination. */
  #offerCommand(all: readonly CombinedInput[], first: Command): void {
    const { follows } = this.#combination;
    const led = follows ? [first] : all.map((one) => one.command);
    offerCommand(this, {
      clock: first.clock,
      random: first.random,
      reporter: first.reporter,
      metadata: first.metadata,
      thresholdMs: Math.max(...all.map((one) => one.command.thresholdMs)),
      thresholdMsMax: Math.max(...all.map((one) => one.command.thresholdMsMax)),
      drainTimeoutMs: Math.min(...all.map((one) => one.command.drainTimeoutMs)),
      campaigns: this.#leaderships[0]?.campaigns ?? false,
      partitionsMax: this.#limited(all)?.partitionsMax,
      capacity: () => this.#leaderless.capacity(),
      follows: led.every((one) => one.follows),
      isClosing: () => this.#closing.hasBegun,
      suffers: (code) => all.forEach(({ command }) => command.suffers(code)),
      asksFor: (role) => all.forEach(({ command }) => command.asksFor(role)),
      taken: () => this.#leaderless.retire(),
      resign: async (partition, abstainMs) => await this.#leaderships[partition]?.resign(abstainMs),
      standBy: (partition, above) => led.forEach((one) => one.standBy(partition, above)),
      exceed: (partition, token) => led.forEach((one) => one.exceed(partition, token)),
    });
  }

  /** The commands of the source that decides how many partitions this member may lead (M13). */
  #limited(all: readonly CombinedInput[]): Command | undefined {
    const contenders = all.filter(({ command }) => command.campaigns);
    const [first] = contenders.length > 0 ? contenders : all;
    return this.#combination.follows || contenders.length === 1 ? first?.command : undefined;
  }

  #receive(leadership: CombinedLeadership): void {
    leadership.learn();
    this.#emitLeader(leadership.partition);
  }

  /** Reports a leader on another member. If this member leads, its own term is authoritative. */
  #emitLeader(partition: number): void {
    const leadership = this.#leaderships[partition];
    if (leadership === undefined || leadership.isLeading()) return;
    const leader = this.#combination.leader(leadership.parts.map(({ role }) => role.leader()));
    const known = leader?.self === false ? { ...leader, incarnation: '' } : undefined;
    this.#leaderless.set(partition, known !== undefined);
    if (!this.#leaders.set(partition, known)) return;
    this.#emit('leader', { partition, ...(known && { leader: known.member, token: known.token }) });
  }

  #passOn(event: LeadershipEvent): void {
    if (passedOn.includes(event.kind)) this.#events.emit(event);
  }

  #emit(kind: LeadershipEventKind, details?: EventDetails): void {
    if (this.#events.observed) this.#events.emit(eventOf(kind, this.member, this.#clock, details));
  }
}
