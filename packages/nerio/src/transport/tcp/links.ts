// The links to the other members: one to each wanted member and to each recipient of a message, and
// those that are about to end.
import type { Clock, Instant } from '@leadership/core/adapter';
import { inFlight } from '@leadership/core/internal/engine';
import type { Link } from './link.ts';
import type { InForce } from './secrets.ts';

/** Opens a link to a member, kept or not. `over` is called when it has ended. */
export type MakeLink = (member: string, isKept: boolean, over: (link: Link) => void) => Link;

/** The links from one member to all others. */
export class Links {
  readonly #make: MakeLink;
  /** The links that may still send, by member. */
  readonly #current = new Map<string, Link>();
  /** All links that have not ended, including those that send their last messages. */
  readonly #all = new Set<Link>();
  #wanted: ReadonlySet<string> = new Set();

  constructor(make: MakeLink) {
    this.#make = make;
  }

  /** Keeps a link to each of these members, and to no other member for long. */
  want(members: ReadonlySet<string>): void {
    this.#wanted = members;
    for (const [member, link] of this.#current) link.isKept = members.has(member);
    for (const member of members) this.to(member).isKept = true;
  }

  isWanted(member: string): boolean {
    return this.#wanted.has(member);
  }

  /** Returns the link to that member, and opens one if necessary. */
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

  /** Returns the link to that member, if there is one. */
  known(member: string): Link | undefined {
    return this.#current.get(member);
  }

  /**
   * Checks all deadlines, extended by `excusedMs`, a time in which this process itself was stopped.
   * Milliseconds.
   */
  tick(now: Instant, excusedMs: number, inForce: InForce): void {
    for (const link of [...this.#all]) {
      link.excuse(excusedMs);
      link.tick(now, inForce);
    }
  }

  /**
   * Ends all links after their messages were sent, at the latest after `flushMs`. Resolves when
   * they have left nothing behind.
   */
  async close(clock: Clock, flushMs: number): Promise<void> {
    const links = [...this.#all];
    const ended = Promise.all(links.map((link) => link.ended));
    for (const link of links) link.finish();
    const flushing = inFlight();
    void flushing.track(ended);
    await flushing.settled(clock, flushMs);
    for (const link of links) link.cut();
    await ended;
  }
}
