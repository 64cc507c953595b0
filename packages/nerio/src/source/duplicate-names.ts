// Detects two live processes under one member name: each displaces the other at every member that
// both reach.
import { LeadershipError } from '@leadership/core';
import { keepLatest, type MembershipShell } from '@leadership/core/internal/engine';
import type { Sender } from '../protocol/message.ts';
import type { Displacer } from '../transport/transport.ts';

interface Lives {
  readonly latest: string;
  /** The displaced incarnations, latest last. */
  readonly displaced: readonly string[];
}

/** The limits on remembered displaced incarnations per member, and on remembered members. */
const livesMax = 8;
const membersMax = 64;

/** Tracks the connected incarnations of each member. */
export class DuplicateNames {
  readonly #shell: MembershipShell;
  readonly #lives = new Map<string, Lives>();
  /** The process that has displaced this one, and the report about it. */
  #rival: { readonly incarnation: string; readonly sentence: string } | undefined;

  constructor(shell: MembershipShell) {
    this.#shell = shell;
  }

  /** A displaced incarnation returns only if both processes are alive. */
  connected({ member, incarnation }: Sender): void {
    const lives = this.#lives.get(member);
    if (lives?.latest === incarnation) return;
    const displaced =
      lives === undefined
        ? []
        : [...lives.displaced.filter((one) => one !== incarnation), lives.latest];
    this.#lives.delete(member);
    const latest = { latest: incarnation, displaced: displaced.slice(-livesMax) };
    keepLatest(this.#lives, member, latest, membersMax);
    if (lives?.displaced.includes(incarnation)) this.#report(member, incarnation, lives.latest);
  }

  /**
   * Another member reports a live process of this member's name that has replaced this one.
   * Whenever this process reconnects, the two change places. So the first report about a process is
   * kept, and its text stays the same while both are alive.
   */
  displaced({ member: at }: Sender, { incarnation, address }: Displacer): void {
    const { member, incarnation: own } = this.#shell.host;
    if (incarnation === own) return;
    if (this.#rival?.incarnation !== incarnation || !this.#shell.health.has(topicOf(member))) {
      const where = address === '' ? '' : ` at ${address}`;
      const sentence = `another live process takes part as member "${member}": incarnation ${incarnation}, which member "${at}" meets${where}. It and this process, incarnation ${own}, displace each other. Give each process a name of its own`;
      this.#rival = { incarnation, sentence };
    }
    this.#raise(member, this.#rival.sentence);
  }

  #report(member: string, one: string, other: string): void {
    const [first, second] = [one, other].sort();
    const sentence = `two live processes take part as member "${member}" and displace each other: incarnations ${first} and ${second}. Give each process a name of its own`;
    this.#raise(member, sentence);
  }

  /** Reports it until no displaced incarnation has returned for some time. */
  #raise(member: string, sentence: string): void {
    this.#shell.raiseBriefly(topicOf(member), new LeadershipError('displaced', sentence));
  }
}

function topicOf(member: string): string {
  return `duplicates of ${member}`;
}
