// Derives partition assignments from leases (I1). The holder of a partition's lease is assigned the
// partition, and the lease's token numbers that decision. When the table is unreachable and a lease
// lapses, the assignment stays until a newer lease is read. An assignment by a broker also outlives
// the absence of its coordinator. Beats decide whether the assignment is still current.
import { LeadershipError } from '@leadership/core';
import type { Host, Membership } from '@leadership/core/adapter';
import { after, latestValue } from '@leadership/core/internal/engine';
import type { Assigned, Assignment } from '@leadership/induction';

/** Starts to compete for leases. Calls `alone` with whether this member is the only one present. */
export type StartLeases = (host: Host, alone: (isAlone: boolean) => void) => Membership;

/** Creates the assignment that follows the leases. */
export function leaseAssignment(host: Host, start: StartLeases, graceMs: number): Assignment {
  const decisions = new Decisions();
  const declines = new Set<number>();
  const isDeclined = (partition: number): boolean => declines.has(partition);
  const timers = new ClaimTimers(host.clock, graceMs, (partition, claims) => {
    // A member that is alone may keep leading or not: no other member waits for it to take over.
    if (isDeclined(partition)) election.campaign(claims && !decisions.isAlone, partition);
  });
  const election = start(leaseHost(host, decisions, timers), (isAlone) => decisions.alone(isAlone));
  return {
    assigned: (signal) => decisions.follow(signal),
    setCandidate(on) {
      election.campaign(on);
      if (on) for (const partition of declines) election.campaign(false, partition);
      else decisions.retract();
    },
    declined(now) {
      const [back, away] = [
        [...declines].filter((partition) => !now.has(partition)),
        [...now].filter((partition) => !isDeclined(partition)),
      ];
      for (const partition of back) declines.delete(partition);
      for (const partition of away) declines.add(partition);
      for (const partition of [...back, ...away])
        election.campaign(!isDeclined(partition), partition);
      decisions.retract(now);
    },
    publish: (publication) => election.publish?.(publication),
    close() {
      timers[Symbol.dispose]();
      return election.close();
    },
  };
}

/**
 * Decides when a member claims a lease although it declines the partition: once that has been vacant
 * for the grace period, because no other member may want it. If the member still declines it after
 * another grace period, it gives the lease up, because another member may want it by then.
 */
class ClaimTimers implements Disposable {
  readonly #clock: Host['clock'];
  readonly #graceMs: number;
  readonly #turn: (partition: number, claims: boolean) => void;
  readonly #timers = new Map<number, Disposable>();
  #isOver = false;

  constructor(
    clock: Host['clock'],
    graceMs: number,
    turn: (partition: number, claims: boolean) => void,
  ) {
    this.#clock = clock;
    this.#graceMs = graceMs;
    this.#turn = turn;
  }

  /** The lease has that holder now. */
  held(partition: number, by: 'nobody' | 'me' | 'another'): void {
    if (this.#isOver) return;
    this.#timers.get(partition)?.[Symbol.dispose]();
    this.#timers.delete(partition);
    if (by !== 'me') this.#turn(partition, false);
    if (by === 'another') return;
    const turn = (): void => this.#turn(partition, by === 'nobody');
    this.#timers.set(partition, this.#clock.wake(after(this.#clock.now(), this.#graceMs), turn));
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    for (const timer of this.#timers.values()) timer[Symbol.dispose]();
    this.#timers.clear();
  }
}

/**
 * Converts a lease's token to a decision number. A token exceeds the safe integers only after some
 * wall clock was centuries ahead. Its lower 53 bits still order two successive decisions.
 */
function decisionOf(token: bigint): number {
  return Number(BigInt.asUintN(53, token));
}

/** Collects the decisions about this member that it has read so far. */
class Decisions {
  readonly #outcomes = latestValue<Assigned | { readonly error: LeadershipError }>();
  /** Maps a partition to the number of the decision. */
  readonly #leases = new Map<number, number>();
  /** Partitions whose lease has lapsed as far as this member knows. */
  readonly #lapsed = new Set<number>();
  #isKnown = false;
  #isAlone = false;

  async *follow(signal: AbortSignal): AsyncGenerator<Assigned> {
    for await (const outcome of this.#outcomes.follow(signal)) {
      if ('error' in outcome) throw outcome.error;
      yield outcome;
    }
  }

  /** Called once the table was read: partitions without a decision are not assigned. */
  known(): void {
    this.#isKnown = true;
    this.#report();
  }

  get isAlone(): boolean {
    return this.#isAlone;
  }

  alone(isAlone: boolean): void {
    if (isAlone === this.#isAlone) return;
    this.#isAlone = isAlone;
    this.#report();
  }

  granted(partition: number, token: bigint): 'began' | 'prolonged' {
    const generation = decisionOf(token);
    this.#lapsed.delete(partition);
    if (this.#leases.get(partition) === generation) return 'prolonged';
    this.#leases.set(partition, generation);
    this.#report();
    return 'began';
  }

  lapsed(partition: number): void {
    this.#lapsed.add(partition);
  }

  drop(partition: number): void {
    if (this.#leases.delete(partition)) this.#report();
  }

  /**
   * Drops partitions whose lease has lapsed. A member that no longer competes does not keep them.
   */
  retract(partitions: Iterable<number> = [...this.#leases.keys()]): void {
    for (const partition of partitions) if (this.#lapsed.has(partition)) this.drop(partition);
  }

  refused(error: LeadershipError): void {
    this.#outcomes.set({ error });
  }

  #report(): void {
    const [partitions, generation] = [new Set(this.#leases.keys()), new Map(this.#leases)];
    if (this.#isKnown) this.#outcomes.set({ partitions, generation, alone: this.#isAlone });
  }
}

/** Creates the host of the lease engine. Lease problems are reported as problems of the member. */
function leaseHost(host: Host, decisions: Decisions, timers: ClaimTimers): Host {
  const { member, incarnation, clock, random, signal } = host;
  return {
    member,
    incarnation,
    clock,
    random,
    signal,
    granted: ({ partition, token }) => decisions.granted(partition, token),
    // A lapsed lease keeps its assignment, so a renewal changes nothing.
    prolonged: () => 'prolonged',
    lost: (partition) => decisions.lapsed(partition),
    released: (partition) => decisions.drop(partition),
    // Work continues until another member leads, so the lease does not wait for it.
    drain: () => Promise.resolve('drained'),
    leads(partition, leader) {
      if (leader === undefined) return timers.held(partition, 'nobody');
      if (leader.incarnation === host.incarnation) return timers.held(partition, 'me');
      decisions.drop(partition);
      timers.held(partition, 'another');
    },
    // Also who sends no beats: the members of the table are those of the group.
    members: (members) => host.members(members),
    trouble: (...args) => host.trouble(...args),
    warning: (...args) => host.warning(...args),
    expectsLeaders: (isExpected) => host.expectsLeaders(isExpected),
    // Its members have no limit.
    capacity: () => undefined,
    ignored: (what) => host.ignored(what),
    measured: (what, value) => host.measured(what, value),
    confirmed: () => host.confirmed(),
    ready: () => decisions.known(),
    refused: (code, message, cause) =>
      decisions.refused(new LeadershipError(code, message, { cause })),
  };
}
