// The way to one member: a connection for as long as it is wanted, made anew whenever it ends, and what waits to be sent on it.
import { LeadershipError } from '@leadership/core';
import { after, type Clock, type Instant } from '@leadership/core/backend';
import { type Bell, bell } from '@leadership/core/ledger';
import type { Sender } from '../../protocol/message.ts';
import type { Drop, Introduction, Message, Namesake } from '../transport.ts';
import { Backlog } from './backlog.ts';
import type { Conversation, ConversationParts } from './conversation.ts';
import type { Pace } from './options.ts';
import type { InForce } from './secrets.ts';

/** What a conversation needs to know of its link. */
export type Talk = Pick<ConversationParts, 'backlog' | 'opened' | 'displaced' | 'dropped' | 'over'>;

/** What a link is made of, and whom it tells. */
export interface LinkParts {
  readonly to: string;
  readonly partitions: number;
  readonly clock: Clock;
  readonly random: () => number;
  readonly pace: Pace;
  /** Calls the member; an error where nobody knows how. */
  readonly converse: (talk: Talk) => Conversation | LeadershipError;
  readonly opened: (peer: Introduction) => void;
  readonly closed: () => void;
  /** The other end has met another process of this member's name. */
  readonly displaced: (at: Sender, by: Namesake) => void;
  readonly failed: (error: LeadershipError) => void;
  readonly dropped: (what: Drop) => void;
  /** It is not wanted any more, and over. */
  readonly over: () => void;
}

/** How long is waited between two calls: less than is noticed at first, and then no more than costs nothing. Milliseconds. */
const firstWaitMs = 20;
const lastWaitMs = 1000;
/** A way that nobody wants kept stays for so many silences, in case there is more to say. */
const idleSilences = 4;

/** The way to one member. */
export class Link {
  /** Whether it is kept up although nothing is to be said. */
  isKept: boolean;
  readonly #parts: LinkParts;
  readonly #backlog: Backlog;
  readonly #bell: Bell;
  #conversation: Conversation | undefined;
  /** What was told to have failed last. */
  #failure: string | undefined;
  #isFlushDue = false;
  #isOver = false;
  #usedAt: Instant;
  /** Resolves once it is over, and nothing of it is left. */
  readonly ended: Promise<void>;

  constructor(parts: LinkParts, isKept: boolean) {
    this.#parts = parts;
    this.isKept = isKept;
    this.#backlog = new Backlog(parts.partitions, parts.pace.silenceMs);
    this.#bell = bell(parts.clock);
    this.#usedAt = parts.clock.now();
    this.ended = this.#keepUp();
  }

  get isOpen(): boolean {
    return this.#conversation?.isOpen === true;
  }

  /** Whether nothing goes out on it any more. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** What is said in one turn of the event loop goes out together at its end. */
  send(message: Message): void {
    const now = this.#parts.clock.now();
    this.#usedAt = now;
    if (this.#backlog.put(message, now)) this.#parts.dropped('unsent');
    if (this.#isFlushDue) return;
    this.#isFlushDue = true;
    queueMicrotask(() => {
      this.#isFlushDue = false;
      this.#conversation?.flush();
    });
  }

  /** The member is there: it need not be waited for. */
  knock(): void {
    if (this.#conversation === undefined) this.#bell.ring();
  }

  /** So much of the time that has passed the other end could not be heard through no fault of its own. Milliseconds. */
  excuse(ms: number): void {
    this.#conversation?.excuse(ms);
  }

  tick(now: Instant, inForce: InForce): void {
    // The peer may never end its side.
    if (this.#isOver) return this.cut();
    for (let expired = this.#backlog.expire(now); expired > 0; expired -= 1) this.#parts.dropped('unsent');
    this.#conversation?.tick(now, inForce);
    const isIdle = !this.isKept && now >= after(this.#usedAt, idleSilences * this.#parts.pace.silenceMs);
    if (isIdle) this.finish();
  }

  /** Ends it once what was said has gone out, as far as that goes until the next tick. */
  finish(): void {
    this.#isOver = true;
    this.#conversation?.flush();
    if (this.isOpen) this.#conversation?.finish();
    else this.cut();
  }

  /** Where the member is called; empty while it is not. */
  get address(): string {
    return this.#conversation?.address ?? '';
  }

  /** Ends the connection at once, and calls again where the way is kept up. A displaced process learns why on the connection that it has opened. */
  displace(): void {
    this.#conversation?.cut();
  }

  /** Ends it at once. */
  cut(): void {
    this.#isOver = true;
    this.#conversation?.cut();
    this.#bell.ring();
  }

  async #keepUp(): Promise<void> {
    const { clock, random, over } = this.#parts;
    let waitMs = firstWaitMs;
    // Not within the call that made this link.
    await Promise.resolve();
    while (!this.#isOver) {
      const began = clock.now();
      await this.#talk();
      if (this.#isOver || !this.isKept) break;
      waitMs = clock.now() >= after(began, lastWaitMs) ? firstWaitMs : Math.min(2 * waitMs, lastWaitMs);
      await this.#bell.until(after(clock.now(), waitMs * (0.5 + random() / 2)));
    }
    this.#isOver = true;
    over();
  }

  /** One connection, from the call to its end. */
  async #talk(): Promise<void> {
    const { converse, opened, closed, displaced, failed, dropped } = this.#parts;
    let hasOpened = false;
    const why = await new Promise<LeadershipError>((resolve) => {
      const talking = converse({
        backlog: this.#backlog,
        displaced,
        dropped,
        opened: (peer) => {
          hasOpened = true;
          opened(peer);
        },
        over: resolve,
      });
      if (talking instanceof LeadershipError) resolve(talking);
      else this.#conversation = talking;
    });
    this.#conversation = undefined;
    if (hasOpened) closed();
    const isLasting = why.code === 'partitions-differ';
    const isNews = why.code !== 'closed' && (hasOpened || isLasting || why.message !== this.#failure);
    if (this.#isOver || !this.isKept || !isNews) return;
    this.#failure = why.message;
    failed(why);
  }
}
