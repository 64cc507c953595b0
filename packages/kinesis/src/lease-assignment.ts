// Leases as an assignment (I1): who holds the lease of a partition is in charge of it, by a decision that the lease's token numbers. A
// lease that lapsed because the table could not be reached stands until another's is read, as an assignment does while its
// coordinator is away: whether it is still current, beats tell.
import { LeadershipError } from '@leadership/core';
import { type Host, latest, type Membership } from '@leadership/core/backend';
import type { Assigned, Assignment } from '@leadership/core/induction';

/** Starts contending for leases. `alone` is told whether this member is the only one there. */
export type StartLeases = (host: Host, alone: (isAlone: boolean) => void) => Membership;

/** The assignment that leases make. */
export function leaseAssignment(host: Host, start: StartLeases): Assignment {
  const decisions = new Decisions();
  const contest = start(leaseHost(host, decisions), (isAlone) => decisions.alone(isAlone));
  let declines: ReadonlySet<number> = new Set();
  return {
    assigned: (signal) => decisions.follow(signal),
    standing(on) {
      contest.campaign(on);
      if (on) for (const partition of declines) contest.campaign(false, partition);
      else decisions.withdraw();
    },
    declined(now) {
      for (const partition of declines) if (!now.has(partition)) contest.campaign(true, partition);
      for (const partition of now) if (!declines.has(partition)) contest.campaign(false, partition);
      declines = new Set(now);
      decisions.withdraw(now);
    },
    close: () => contest.close(),
  };
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

  alone(isAlone: boolean): void {
    if (isAlone === this.#isAlone) return;
    this.#isAlone = isAlone;
    this.#tell();
  }

  granted(partition: number, token: bigint): 'began' | 'prolonged' {
    const generation = Number(token);
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
function leaseHost(host: Host, decisions: Decisions): Host {
  const { member, incarnation, clock, random, signal } = host;
  return {
    ...{ member, incarnation, clock, random, signal },
    granted: ({ partition, token }) => decisions.granted(partition, token),
    lost: (partition) => decisions.lapsed(partition),
    released: (partition) => decisions.drop(partition),
    // Work goes on until another leads: the lease need not wait for it.
    drain: () => Promise.resolve('drained'),
    leads(partition, leader) {
      if (leader !== undefined && leader.incarnation !== host.incarnation) decisions.drop(partition);
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
