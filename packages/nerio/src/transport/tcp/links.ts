// The ways to all other members: one to each that is wanted, or that something is said to, and those that are about to end.
import type { Clock, Instant } from '@leadership/core/backend';
import { busy } from '@leadership/core/ledger';
import type { Link } from './link.ts';
import type { InForce } from './secrets.ts';

/** Makes the way to a member, kept up or not, that tells when it is over. */
export type MakeLink = (member: string, isKept: boolean, over: (link: Link) => void) => Link;

/** The ways from one member to all others. */
export class Links {
  readonly #make: MakeLink;
  /** Those on which something may still go out, by member. */
  readonly #current = new Map<string, Link>();
  /** Those that are not over, the ones that only finish included. */
  readonly #all = new Set<Link>();
  #wanted: ReadonlySet<string> = new Set();

  constructor(make: MakeLink) {
    this.#make = make;
  }

  /** Keeps a way to each of these, and to nobody else for long. */
  want(members: ReadonlySet<string>): void {
    this.#wanted = members;
    for (const [member, link] of this.#current) link.isKept = members.has(member);
    for (const member of members) this.to(member).isKept = true;
  }

  isWanted(member: string): boolean {
    return this.#wanted.has(member);
  }

  /** The way to that member, which is made where there is none. */
  to(member: string): Link {
    const known = this.known(member);
    if (known !== undefined && !known.isOver) return known;
    const link = this.#make(member, this.isWanted(member), (one) => {
      this.#all.delete(one);
      if (this.known(member) === one) this.#current.delete(member);
    });
    this.#current.set(member, link);
    this.#all.add(link);
    return link;
  }

  /** The way to that member, where there is one. */
  known(member: string): Link | undefined {
    return this.#current.get(member);
  }

  /** So much of the time that has passed is held against nobody: `excusedMs`. Milliseconds. */
  tick(now: Instant, excusedMs: number, inForce: InForce): void {
    for (const link of [...this.#all]) {
      link.excuse(excusedMs);
      link.tick(now, inForce);
    }
  }

  /** Ends all of them, once what was said has gone out, or `lastWordsMs` later. Resolves when nothing of them is left. */
  async close(clock: Clock, lastWordsMs: number): Promise<void> {
    const links = [...this.#all];
    const gone = Promise.all(links.map(({ ended }) => ended));
    for (const link of links) link.finish();
    const lastWords = busy();
    void lastWords.with(gone);
    await lastWords.over(clock, lastWordsMs);
    for (const link of links) link.cut();
    await gone;
  }
}
