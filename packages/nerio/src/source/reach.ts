// Whom of the voters this member reaches, and what that means for its host: ready, out of reach, or not wanted.
import { LeadershipError } from '@leadership/core';
import { after, type Host, type Troubles } from '@leadership/core/backend';
import type { Electorate } from '../protocol/electorate.ts';
import { includes, type Members, only, sizeOf } from '../protocol/members.ts';
import { meetsEveryQuorum } from '../protocol/quorums.ts';

/** What it asks, and whom it tells. */
export interface ReachParts {
  readonly host: Host;
  readonly troubles: Troubles;
  readonly electorate: () => Electorate;
  readonly isReached: (member: string) => boolean;
  /** Whether it has tried all members, so that none of another pin is left to be met (R4). */
  readonly isAdmitted: () => boolean;
  /** T. Milliseconds. */
  readonly thresholdMs: number;
  /** So many voters do not want this member that it can never lead, or grant to any purpose. */
  readonly refused: () => unknown;
}

/** Errors that time does not mend. */
const final: readonly string[] = ['partitions-differ', 'unauthorized'];
/** The trouble with a member of another pin ends after so many T in which it was not met again. */
const forgottenAfter = 10;

/** Follows who is reached. */
export class Reach {
  readonly #parts: ReachParts;
  readonly #failures = new Map<string, LeadershipError>();
  /** Members that do not fit this one, and until when that is remembered. */
  readonly #reports = new Map<string, { readonly error: LeadershipError; readonly alarm: Disposable }>();
  #admission: 'pending' | 'ready' | 'refused' = 'pending';
  /** Voters that were heard since no quorum answered in time. */
  #heard: Members | undefined;

  constructor(parts: ReachParts) {
    this.#parts = parts;
  }

  /** A member, or the network altogether, cannot be reached. */
  failed(member: string | undefined, error: LeadershipError): void {
    const { troubles } = this.#parts;
    if (member === undefined) return troubles.raise('network', error);
    if (final.includes(error.code)) this.#report(member, error);
    if (!this.#parts.electorate().names.includes(member)) return;
    this.#failures.set(member, error);
    this.look();
  }

  /** This member, a newcomer, refuses for good: that member has another pin (R4). Returns the reason. */
  refuseFor(member: string): LeadershipError {
    const found = this.#reports.get(member)?.error;
    const error = found ?? new LeadershipError('partitions-differ', `member "${member}" is configured otherwise`);
    this.#refuse(error);
    return error;
  }

  /** Raises the trouble, which ends when the member is met, or was not heard of for a long time. */
  #report(member: string, error: LeadershipError): void {
    const { troubles, host, thresholdMs } = this.#parts;
    this.#reports.get(member)?.alarm[Symbol.dispose]();
    const { clock } = host;
    const alarm = clock.wake(after(clock.now(), forgottenAfter * thresholdMs), () => this.#withdraw(member));
    this.#reports.set(member, { error, alarm });
    troubles.raise(`member ${member}`, error);
  }

  #withdraw(member: string): void {
    this.#reports.get(member)?.alarm[Symbol.dispose]();
    this.#reports.delete(member);
    this.#parts.troubles.mend(`member ${member}`);
  }

  mended(member: string | undefined): void {
    const { troubles } = this.#parts;
    if (member === undefined) return troubles.mend('network');
    this.#failures.delete(member);
    this.#withdraw(member);
    this.look();
  }

  /** Somebody said something. */
  heard(member: string): void {
    if (this.#heard === undefined) return;
    const { names, quorums } = this.#parts.electorate();
    const index = names.indexOf(member);
    if (index >= 0) this.#heard |= only(index);
    if (quorums.holds(this.#heard)) this.answered();
  }

  /** No quorum answered a leader in time. */
  unanswered(): void {
    const { host, troubles, electorate } = this.#parts;
    this.#heard = only(electorate().names.indexOf(host.member));
    troubles.raise(
      'answers',
      new LeadershipError('no-quorum', 'no quorum of voters answered in time: they, or the network, are away or too slow'),
    );
  }

  /** A quorum has. */
  answered(): void {
    this.#heard = undefined;
    this.#parts.troubles.mend('answers');
  }

  /** Another epoch runs: whoever is no member any more is no trouble either. */
  entered(): void {
    const { names } = this.#parts.electorate();
    for (const name of [...this.#failures.keys(), ...this.#reports.keys()]) {
      if (names.includes(name)) continue;
      this.#failures.delete(name);
      this.#withdraw(name);
    }
  }

  /** No trouble is withdrawn later than the member is closed. */
  close(): void {
    for (const { alarm } of this.#reports.values()) alarm[Symbol.dispose]();
  }

  /** Looks at who is reached now. */
  look(): void {
    const { troubles, electorate, host } = this.#parts;
    const { quorums, voters, names } = electorate();
    const reached = this.#reached();
    host.measured('votersReached', sizeOf(reached));
    if (quorums.holds(reached)) {
      troubles.mend('quorum');
      return this.#ready();
    }
    if (this.#isUnwanted()) return this.#refuseUnwanted();
    const missing = names.filter((_, index) => includes(voters & ~reached, index));
    if (this.#admission === 'ready' || missing.some((name) => this.#failures.has(name)))
      troubles.raise('quorum', this.#outOfReach(missing));
  }

  #reached(): Members {
    const { electorate, isReached, host } = this.#parts;
    const { names, voters } = electorate();
    return names.reduce((set, name, index) => (name === host.member || isReached(name) ? set | only(index) : set), 0) & voters;
  }

  #isUnwanted(): boolean {
    const { quorums, names } = this.#parts.electorate();
    const unwanting = names.reduce((set, name, index) => (this.#isFinal(name) ? set | only(index) : set), 0);
    return this.#admission === 'pending' && meetsEveryQuorum(quorums, unwanting);
  }

  #isFinal(name: string): boolean {
    return final.includes(this.#failures.get(name)?.code ?? '');
  }

  #outOfReach(missing: readonly string[]): LeadershipError {
    const why = missing.map((name) => this.#failures.get(name)).find((error) => error !== undefined);
    const sentence = `no quorum of voters is in reach: ${missing.join(', ')} cannot be reached${why ? ` (${why.message})` : ''}`;
    return new LeadershipError('no-quorum', sentence, { cause: why });
  }

  #ready(): void {
    if (this.#admission !== 'pending' || !this.#parts.isAdmitted()) return;
    this.#admission = 'ready';
    this.#parts.host.ready();
  }

  #refuseUnwanted(): void {
    const error = [...this.#failures.values()].find(({ code }) => final.includes(code));
    if (error) this.#refuse(error);
    this.#parts.refused();
  }

  #refuse(error: LeadershipError): void {
    if (this.#admission === 'refused') return;
    this.#admission = 'refused';
    this.#parts.host.refused(error.code, error.message, error);
  }
}
