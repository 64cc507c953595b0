// Reports to the source whether this member reaches enough voters: ready, no quorum in reach, or
// refused.
import { LeadershipError } from '@leadership/core';
import type { Instant } from '@leadership/core/adapter';
import { after, type MembershipShell } from '@leadership/core/internal/engine';
import type { Electorate } from '../protocol/electorate.ts';
import { includes, type Members, only, sizeOf } from '../protocol/members.ts';
import { meetsEveryQuorum } from '../protocol/quorums.ts';

/** The parts and callbacks of the tracker. */
export interface ConnectivityParts {
  readonly shell: MembershipShell;
  readonly electorate: () => Electorate;
  readonly isReached: (member: string) => boolean;
  /** Whether it has tried all members, so that it cannot meet another pin later (R4). */
  readonly isAdmitted: () => boolean;
  /** Sends these members a message that they answer. */
  readonly ping: (members: readonly string[]) => void;
  /** T. Milliseconds. */
  readonly thresholdMs: number;
}

/** Error codes that waiting does not resolve. */
const final: readonly string[] = ['partitions-differ', 'unauthorized'];

/** Tracks the members that this one reaches. */
export class Connectivity {
  readonly #parts: ConnectivityParts;
  readonly #failures = new Map<string, LeadershipError>();
  /** The members that do not fit this one. */
  readonly #reports = new Map<string, LeadershipError>();
  /** The voters from which a message has arrived since no quorum answered in time. */
  #answeredBy: Members | undefined;
  /** Sets when to ping the voters. */
  readonly #pingAt: (at: Instant) => void;

  constructor(parts: ConnectivityParts) {
    this.#parts = parts;
    this.#pingAt = parts.shell.timer(() => this.#pingVoters());
  }

  /** A member cannot be reached, or the network if no member is named. */
  failed(member: string | undefined, error: LeadershipError): void {
    const { health } = this.#parts.shell;
    if (member === undefined) return health.raise('network', error);
    if (final.includes(error.code)) this.#report(member, error);
    if (!this.#parts.electorate().names.includes(member)) return;
    this.#failures.set(member, error);
    this.look();
  }

  /** A newcomer refuses for good, because that member has another pin (R4). */
  refuseFor(member: string): void {
    const found = this.#reports.get(member);
    const sentence = `member "${member}" has a different configuration`;
    const error = found ?? new LeadershipError('partitions-differ', sentence);
    this.#parts.shell.refuse(topicOf(member), error);
  }

  /**
   * Raises the trouble. It ends when the member connects, or has made no contact for a long time.
   */
  #report(member: string, error: LeadershipError): void {
    this.#reports.set(member, error);
    this.#parts.shell.raiseBriefly(topicOf(member), error);
  }

  #retract(member: string): void {
    this.#reports.delete(member);
    this.#parts.shell.health.mend(topicOf(member));
  }

  mended(member: string | undefined): void {
    const { health } = this.#parts.shell;
    if (member === undefined) return health.mend('network');
    this.#failures.delete(member);
    this.#retract(member);
    this.look();
  }

  /** A message from that member arrived. */
  received(member: string): void {
    if (this.#answeredBy === undefined) return;
    const { names, quorums } = this.#parts.electorate();
    const index = names.indexOf(member);
    if (index >= 0) this.#answeredBy |= only(index);
    if (quorums.holds(this.#answeredBy)) this.answered();
  }

  /**
   * The elections of a candidate got no quorum of answers. If no quorum is in reach, that is
   * reported as the cause instead.
   */
  electionFailed(): void {
    if (this.#parts.electorate().quorums.holds(this.#reached())) this.unanswered();
  }

  /** A member's requests got no quorum of answers in time. */
  unanswered(): void {
    const { host, health } = this.#parts.shell;
    this.#answeredBy = only(this.#parts.electorate().names.indexOf(host.member));
    health.raise(
      'answers',
      new LeadershipError(
        'no-quorum',
        'no quorum of voters answered in time: the voters or the network are down or too slow',
      ),
    );
    this.#pingLater();
  }

  /**
   * Pings the voters until a quorum answers. Otherwise the trouble would never end at a candidate
   * that no longer campaigns because another member leads: voters send it nothing by themselves.
   */
  #pingVoters(): void {
    if (this.#answeredBy === undefined) return;
    const { names, voters } = this.#parts.electorate();
    const { member } = this.#parts.shell.host;
    this.#parts.ping(names.filter((name, index) => name !== member && includes(voters, index)));
    this.#pingLater();
  }

  #pingLater(): void {
    const { shell, thresholdMs } = this.#parts;
    this.#pingAt(after(shell.host.clock.now(), thresholdMs / 2));
  }

  /** A quorum has answered again. */
  answered(): void {
    this.#answeredBy = undefined;
    this.#parts.shell.health.mend('answers');
  }

  /** This member is not in the epoch that runs, and learns of no leader any more. */
  removed(): void {
    const { electorate, shell } = this.#parts;
    const { names, number } = electorate();
    const sentence = `member "${shell.host.member}" has been removed from the group: the members of epoch ${number} are ${names.join(', ')}. Stop it, or add it again with reconfigure()`;
    shell.health.raise('removed', new LeadershipError('partitions-differ', sentence));
  }

  /** Another epoch runs: end the troubles of members that are no longer in it. */
  entered(): void {
    const { names } = this.#parts.electorate();
    const { health, host } = this.#parts.shell;
    if (names.includes(host.member)) health.mend('removed');
    for (const name of [...this.#failures.keys(), ...this.#reports.keys()]) {
      if (names.includes(name)) continue;
      this.#failures.delete(name);
      this.#retract(name);
    }
  }

  /** Compares the reached voters with the quorums, and reports the result. */
  look(): void {
    const { electorate, shell, isAdmitted } = this.#parts;
    const { health, host } = shell;
    const { quorums, voters, names } = electorate();
    const reached = this.#reached();
    host.measured('votersReached', sizeOf(reached));
    if (quorums.holds(reached)) {
      health.mend('quorum');
      if (isAdmitted()) shell.ready();
      return;
    }
    if (this.#isUnwanted()) return this.#refuseUnwanted();
    const missing = names.filter((_, index) => includes(voters & ~reached, index));
    if (shell.admission === 'ready' || missing.some((name) => this.#failures.has(name)))
      health.raise('quorum', this.#outOfReach(missing));
  }

  #reached(): Members {
    const { electorate, isReached, shell } = this.#parts;
    const { host } = shell;
    const { names, voters } = electorate();
    return (
      names.reduce(
        (set, name, index) => (name === host.member || isReached(name) ? set | only(index) : set),
        0,
      ) & voters
    );
  }

  #isUnwanted(): boolean {
    const { quorums, names } = this.#parts.electorate();
    const unwanting = names.reduce(
      (set, name, index) => (this.#isFinal(name) ? set | only(index) : set),
      0,
    );
    return this.#parts.shell.admission === 'pending' && meetsEveryQuorum(quorums, unwanting);
  }

  #isFinal(name: string): boolean {
    return final.includes(this.#failures.get(name)?.code ?? '');
  }

  #outOfReach(missing: readonly string[]): LeadershipError {
    const why = missing
      .map((name) => this.#failures.get(name))
      .find((error) => error !== undefined);
    const sentence = `no quorum of voters is in reach: ${missing.join(', ')} cannot be reached${why ? ` (${why.message})` : ''}`;
    return new LeadershipError('no-quorum', sentence, { cause: why });
  }

  /** Enough voters refuse this member that it can never lead, and its grants can never help. */
  #refuseUnwanted(): void {
    const [name, error] = [...this.#failures].find(([one]) => this.#isFinal(one)) ?? [];
    if (name !== undefined) this.#parts.shell.refuse(topicOf(name), error);
  }
}

function topicOf(member: string): string {
  return `member ${member}`;
}
