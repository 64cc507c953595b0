// The link to one member: an outbound connection, opened again whenever it ends, and the messages
// that wait to be sent on it.
import { LeadershipError } from '@leadership/core';
import type { Clock, Instant } from '@leadership/core/adapter';
import { after, type Notifier, notifier } from '@leadership/core/internal/engine';
import type { Sender } from '../../protocol/message.ts';
import type { Displacer, Drop, Introduction, Message } from '../transport.ts';
import { Backlog } from './backlog.ts';
import type { Pace } from './options.ts';
import type { OutboundConnection, OutboundConnectionParts } from './outbound-connection.ts';
import type { InForce } from './secrets.ts';

/** The parts of a connection that its link provides. */
export type LinkCallbacks = Pick<
  OutboundConnectionParts,
  'backlog' | 'opened' | 'displaced' | 'dropped' | 'over'
>;

/** The parts of a link, and its callbacks. */
export interface LinkParts {
  readonly to: string;
  readonly partitions: number;
  readonly clock: Clock;
  readonly random: () => number;
  readonly pace: Pace;
  /** Opens a connection to the member; returns an error if its address is not known. */
  readonly connect: (callbacks: LinkCallbacks) => OutboundConnection | LeadershipError;
  readonly opened: (peer: Introduction) => void;
  readonly closed: () => void;
  /** The other end has met another process of this member's name. */
  readonly displaced: (at: Sender, by: Displacer) => void;
  readonly failed: (error: LeadershipError) => void;
  readonly dropped: (what: Drop) => void;
  /** The link is no longer wanted and has ended. */
  readonly over: () => void;
}

/** The pause before the first new connection. Milliseconds. */
const firstWaitMs = 20;
/** The longest pause between two connections. Milliseconds. */
const lastWaitMs = 1000;
/** A link outside `reach` stays open for this many times `silenceMs` after its last message. */
const idleSilences = 4;

/** The link to one member. */
export class Link {
  /** Whether the link stays open without messages. */
  isKept: boolean;
  readonly #parts: LinkParts;
  readonly #backlog: Backlog;
  readonly #retry: Notifier;
  #connection: OutboundConnection | undefined;
  /** The message of the last reported failure. */
  #failure: string | undefined;
  #isFlushDue = false;
  #isOver = false;
  #usedAt: Instant;
  /** Resolves once the link has ended and left nothing behind. */
  readonly ended: Promise<void>;

  constructor(parts: LinkParts, isKept: boolean) {
    this.#parts = parts;
    this.isKept = isKept;
    this.#backlog = new Backlog(parts.partitions, parts.pace.silenceMs);
    this.#retry = notifier(parts.clock);
    this.#usedAt = parts.clock.now();
    this.ended = this.#keepUp();
  }

  get isOpen(): boolean {
    return this.#connection?.isOpen === true;
  }

  /** Whether the link sends no further messages. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Messages of one turn of the event loop are sent together at its end. */
  send(message: Message): void {
    const now = this.#parts.clock.now();
    this.#usedAt = now;
    if (this.#backlog.put(message, now)) this.#parts.dropped('unsent');
    if (this.#isFlushDue) return;
    this.#isFlushDue = true;
    queueMicrotask(() => {
      this.#isFlushDue = false;
      this.#connection?.flush();
    });
  }

  /** The member has just connected to this one: connect without the rest of the pause. */
  retryNow(): void {
    if (this.#connection === undefined) this.#retry.notify();
  }

  /** Extends the deadlines by a time in which this process itself was stopped. Milliseconds. */
  excuse(ms: number): void {
    this.#connection?.excuse(ms);
  }

  tick(now: Instant, inForce: InForce): void {
    // The peer may never end its side.
    if (this.#isOver) return this.cut();
    for (let expired = this.#backlog.expire(now); expired > 0; expired -= 1)
      this.#parts.dropped('unsent');
    this.#connection?.tick(now, inForce);
    const isIdle =
      !this.isKept && now >= after(this.#usedAt, idleSilences * this.#parts.pace.silenceMs);
    if (isIdle) this.finish();
  }

  /** Ends the link after the waiting messages were sent, or at the next tick. */
  finish(): void {
    this.#isOver = true;
    this.#connection?.flush();
    if (this.isOpen) this.#connection?.finish();
    else this.cut();
  }

  /** The address of the other end; empty while there is no connection. */
  get address(): string {
    return this.#connection?.address ?? '';
  }

  /**
   * Ends the connection at once; a link that is kept connects again. A displaced process is
   * notified on the connection that it opened.
   */
  displace(): void {
    this.#connection?.cut();
  }

  /** Ends the link at once. */
  cut(): void {
    this.#isOver = true;
    this.#connection?.cut();
    this.#retry.notify();
  }

  async #keepUp(): Promise<void> {
    const { clock, random, over } = this.#parts;
    let waitMs = firstWaitMs;
    // Call no callback during the constructor.
    await Promise.resolve();
    while (!this.#isOver) {
      const began = clock.now();
      await this.#connectOnce();
      if (this.#isOver || !this.isKept) break;
      waitMs =
        clock.now() >= after(began, lastWaitMs) ? firstWaitMs : Math.min(2 * waitMs, lastWaitMs);
      await this.#retry.until(after(clock.now(), waitMs * (0.5 + random() / 2)));
    }
    this.#isOver = true;
    over();
  }

  /** Opens one connection and waits for its end. */
  async #connectOnce(): Promise<void> {
    const { connect, opened, closed, displaced, failed, dropped } = this.#parts;
    let hasOpened = false;
    const why = await new Promise<LeadershipError>((resolve) => {
      const opening = connect({
        backlog: this.#backlog,
        displaced,
        dropped,
        opened: (peer) => {
          hasOpened = true;
          opened(peer);
        },
        over: resolve,
      });
      if (opening instanceof LeadershipError) resolve(opening);
      else this.#connection = opening;
    });
    this.#connection = undefined;
    if (hasOpened) closed();
    const isLasting = why.code === 'partitions-differ';
    const isNew =
      why.code !== 'closed' && (hasOpened || isLasting || why.message !== this.#failure);
    if (this.#isOver || !this.isKept || !isNew) return;
    this.#failure = why.message;
    failed(why);
  }
}
