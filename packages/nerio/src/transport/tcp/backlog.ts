// What has been said to a peer, and has not gone out. Where a peer is slower than we speak, most of it is overtaken by what we say next:
// a round by a later one, an answer by the answer to that, a sign of life by another. So for each purpose the newest is kept, and the
// backlog is as long as there are purposes, however long the peer takes.
import { after, type Instant } from '@leadership/core/backend';
import type { Item } from '../../protocol/message.ts';
import type { Message } from '../transport.ts';

interface Entry {
  readonly message: Message;
  readonly saidAt: Instant;
}

/** Beside what there is of every partition: questions and answers of which each has an id. */
const othersMax = 256;
/** A request, an answer and a release. */
const purposesOfPartition = 3;

/** What waits to be sent to one peer. */
export class Backlog {
  readonly #entries = new Map<number | string, Entry>();
  readonly #sizeMax: number;
  /** A message that is older than this helps nobody any more. Milliseconds. */
  readonly #shelfMs: number;

  constructor(partitions: number, shelfMs: number) {
    this.#sizeMax = purposesOfPartition * partitions + othersMax;
    this.#shelfMs = shelfMs;
  }

  get isEmpty(): boolean {
    return this.#entries.size === 0;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** The message goes to the end, in place of what it overtakes. Says whether the oldest had to go for it. */
  put(message: Message, saidAt: Instant): boolean {
    const purpose = purposeOf(message.item);
    this.#entries.delete(purpose);
    this.#entries.set(purpose, { message, saidAt });
    const [oldest] = this.#entries.keys();
    if (this.#entries.size <= this.#sizeMax || oldest === undefined) return false;
    this.#entries.delete(oldest);
    return true;
  }

  /** What waits, in the order in which it was said. */
  messages(): readonly Message[] {
    return Array.from(this.#entries.values(), ({ message }) => message);
  }

  /** The first `count` have gone out. */
  sent(count: number): void {
    let left = count;
    for (const purpose of this.#entries.keys()) {
      if (left === 0) return;
      this.#entries.delete(purpose);
      left -= 1;
    }
  }

  /** Drops what is too old; says how much that was. */
  expire(now: Instant): number {
    let dropped = 0;
    for (const [purpose, { saidAt }] of this.#entries) {
      if (now < after(saidAt, this.#shelfMs)) break;
      this.#entries.delete(purpose);
      dropped += 1;
    }
    return dropped;
  }
}

/** What a message is for: a later one for the same purpose makes it pointless. */
function purposeOf(item: Item): number | string {
  switch (item.kind) {
    case 'ask':
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
