// Leases as an assignment (I1): who holds the lease of a partition is in charge of it, by a decision that the lease's token numbers. A
// lease that lapsed because the table could not be reached stands until another's is read, as an assignment does while its
// coordinator is away: whether it is still current, beats tell.
import { LeadershipError } from '@leadership/core';
import { after, type Host, latest, type Membership } from '@leadership/core/backend';
import type { Assigned, Assignment } from '@leadership/core/induction';

/** Starts contending for leases. `alone` is told whether this member is the only one there. */
export type StartLeases = (host: Host, alone: (isAlone: boolean) => void) => Membership;

/** The assignment that leases make. */
export function leaseAssignment(host: Host, start: StartLeases, graceMs: number): Assignment {
  const decisions = new Decisions();
  const declines = new Set<number>();
  const isDeclined = (partition: number): boolean => declines.has(partition);
  const vacancies = new Vacancies(host.clock, graceMs, (partition, isLong) => {
    // Who is alone leads on or not as it likes: nobody waits for it to take over.
    if (isDeclined(partition)) contest.campaign(isLong && !decisions.isAlone, partition);
  });
  const contest = start(leaseHost(host, decisions, vacancies), (isAlone) => decisions.alone(isAlone));
  return {
    assigned: (signal) => decisions.follow(signal),
    standing(on) {
      contest.campaign(on);
      if (on) for (const partition of declines) contest.campaign(false, partition);
      else decisions.withdraw();
    },
    declined(now) {
      const [back, away] = [
        [...declines].filter((partition) => !now.has(partition)),
        [...now].filter((partition) => !isDeclined(partition)),
      ];
      for (const partition of back) declines.delete(partition);
      for (const partition of away) declines.add(partition);
      for (const partition of [...back, ...away]) contest.campaign(!isDeclined(partition), partition);
      decisions.withdraw(now);
    },
    close() {
      vacancies[Symbol.dispose]();
      return contest.close();
    },
  };
}

/**
 * Leases that nobody holds. Who declines one is to be spared where others can have it: where nobody takes it for a while, it does.
 */
class Vacancies implements Disposable {
  readonly #clock: Host['clock'];
  readonly #graceMs: number;
  readonly #changed: (partition: number, isLong: boolean) => void;
  readonly #timers = new Map<number, Disposable>();
  #isOver = false;

  constructor(clock: Host['clock'], graceMs: number, changed: (partition: number, isLong: boolean) => void) {
    this.#clock = clock;
    this.#graceMs = graceMs;
    this.#changed = changed;
  }

  began(partition: number): void {
    if (this.#isOver) return;
    this.#timers.get(partition)?.[Symbol.dispose]();
    this.#timers.set(
      partition,
      this.#clock.wake(after(this.#clock.now(), this.#graceMs), () => this.#changed(partition, true)),
    );
  }

  ended(partition: number): void {
    this.#timers.get(partition)?.[Symbol.dispose]();
    this.#timers.delete(partition);
    this.#changed(partition, false);
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    for (const timer of this.#timers.values()) timer[Symbol.dispose]();
    this.#timers.clear();
  }
}

/**
 * The number of the decision that a lease's token stands for. Tokens leave what a number can tell apart only where somebody's wall clock
 * is centuries ahead, and for good then: the lower bits go on telling which of two that follow each other is the later.
 */
function decisionOf(token: bigint): number {
  return Number(BigInt.asUintN(53, token));
}

/** What was decided for this member, as far as it has read. */
class Decisions {
  readonly #outcomes = latest<Assigned | { readonly error: LeadershipError }>();
  /** partition → the number of the decision. */
  readonly #leases = new Map<number, number>();
  /** Those whose lease is out, as far as this member can tell. */
  readonly #lapsed = new Set<number>();
  #isKnown = false;
  #isAlone = false;

  async *follow(signal: AbortSignal): AsyncGenerator<Assigned> {
    for await (const outcome of this.#outcomes.follow(signal)) {
      if ('error' in outcome) throw outcome.error;
      yield outcome;
    }
  }

  /** The table was read: what is not decided for this member now, never was. */
  known(): void {
    this.#isKnown = true;
    this.#tell();
  }

  get isAlone(): boolean {
    return this.#isAlone;
  }

  alone(isAlone: boolean): void {
    if (isAlone === this.#isAlone) return;
    this.#isAlone = isAlone;
    this.#tell();
  }

  granted(partition: number, token: bigint): 'began' | 'prolonged' {
    const generation = decisionOf(token);
    this.#lapsed.delete(partition);
    if (this.#leases.get(partition) === generation) return 'prolonged';
    this.#leases.set(partition, generation);
    this.#tell();
    return 'began';
  }

  lapsed(partition: number): void {
    this.#lapsed.add(partition);
  }

  drop(partition: number): void {
    if (this.#leases.delete(partition)) this.#tell();
  }

  /** Who no longer stands has nothing by a lease that is out. */
  withdraw(partitions: Iterable<number> = [...this.#leases.keys()]): void {
    for (const partition of partitions) if (this.#lapsed.has(partition)) this.drop(partition);
  }

  refused(error: LeadershipError): void {
    this.#outcomes.set({ error });
  }

  #tell(): void {
    const [partitions, generation] = [new Set(this.#leases.keys()), new Map(this.#leases)];
    if (this.#isKnown) this.#outcomes.set({ partitions, generation, alone: this.#isAlone });
  }
}

/** Whom the contest for leases tells. What a lease's trouble is, is the member's. */
function leaseHost(host: Host, decisions: Decisions, vacancies: Vacancies): Host {
  const { member, incarnation, clock, random, signal } = host;
  return {
    ...{ member, incarnation, clock, random, signal },
    granted: ({ partition, token }) => decisions.granted(partition, token),
    lost: (partition) => decisions.lapsed(partition),
    released: (partition) => decisions.drop(partition),
    // Work goes on until another leads: the lease need not wait for it.
    drain: () => Promise.resolve('drained'),
    leads(partition, leader) {
      if (leader === undefined) return vacancies.began(partition);
      if (leader.incarnation === host.incarnation) return;
      decisions.drop(partition);
      vacancies.ended(partition);
    },
    trouble: (...told) => host.trouble(...told),
    warning: (...told) => host.warning(...told),
    ignored: (what) => host.ignored(what),
    measured: (what, value) => host.measured(what, value),
    confirmed: () => host.confirmed(),
    ready: () => decisions.known(),
    refused: (code, message, cause) => decisions.refused(new LeadershipError(code, message, { cause })),
  };
}
