// The messages that wait to be sent to a peer. If the peer is slow, most of them become obsolete: a
// later round replaces a round, and a later answer an answer. So the backlog keeps the newest
// message for each purpose, and its length is bounded by the number of purposes.
import type { Instant } from '@leadership/core/adapter';
import { after } from '@leadership/core/internal/engine';
import type { Item } from '../../protocol/message.ts';
import type { Message } from '../transport.ts';

interface Entry {
  readonly message: Message;
  readonly queuedAt: Instant;
}

/**
 * How many messages are kept beside those about partitions: queries and replies, each with its own
 * id.
 */
const othersMax = 256;
/** A request, an answer and a release. Each is kept once per partition. */
const purposesOfPartition = 3;

/** The messages that wait for one peer. */
export class Backlog {
  readonly #entries = new Map<number | string, Entry>();
  readonly #sizeMax: number;
  /** The age from which a message is useless. Milliseconds. */
  readonly #maxAgeMs: number;

  constructor(partitions: number, maxAgeMs: number) {
    this.#sizeMax = purposesOfPartition * partitions + othersMax;
    this.#maxAgeMs = maxAgeMs;
  }

  get isEmpty(): boolean {
    return this.#entries.size === 0;
  }

  get size(): number {
    return this.#entries.size;
  }

  /**
   * Appends the message and removes the one that it replaces. Returns whether the oldest message
   * was dropped for it.
   */
  put(message: Message, queuedAt: Instant): boolean {
    const purpose = purposeOf(message.item);
    this.#entries.delete(purpose);
    this.#entries.set(purpose, { message, queuedAt });
    const [oldest] = this.#entries.keys();
    if (this.#entries.size <= this.#sizeMax || oldest === undefined) return false;
    this.#entries.delete(oldest);
    return true;
  }

  /** The waiting messages, oldest first. */
  messages(): readonly Message[] {
    return Array.from(this.#entries.values(), ({ message }) => message);
  }

  /** The first `count` messages were sent. */
  sent(count: number): void {
    let left = count;
    for (const purpose of this.#entries.keys()) {
      if (left === 0) return;
      this.#entries.delete(purpose);
      left -= 1;
    }
  }

  /** Drops the messages that are too old, and returns their number. */
  expire(now: Instant): number {
    let dropped = 0;
    for (const [purpose, { queuedAt }] of this.#entries) {
      if (now < after(queuedAt, this.#maxAgeMs)) break;
      this.#entries.delete(purpose);
      dropped += 1;
    }
    return dropped;
  }
}

/** The purpose of a message: a later message with the same purpose makes it obsolete. */
function purposeOf(item: Item): number | string {
  switch (item.kind) {
    case 'grant-request':
      return purposesOfPartition * item.partition;
    case 'ok':
    case 'refused':
      return purposesOfPartition * item.partition + 1;
    case 'release':
      return purposesOfPartition * item.partition + 2;
    case 'verify':
    case 'remainder':
      return `${item.kind} ${item.partition} ${item.id}`;
    default:
      return item.kind;
  }
}
