// Sends the messages of a member only after the state that they depend on is on disk: a wedge, an
// epoch, a grant (N4, N13). If the disk is slow, obsolete outputs are dropped, and only the latest
// messages wait.
import type { Clock } from '@leadership/core/adapter';
import type { NerioOutput } from '../protocol/output.ts';

/** The progress of writes. Versions count from 0, which needs no write. */
export interface Durability {
  /** The latest version that is on disk. */
  readonly durable: number;
}

/** The parts of an outbox. */
export interface OutboxParts {
  readonly durability: Durability;
  readonly clock: Clock;
  readonly partitions: number;
  /** The oldest message was dropped in favour of a newer one. */
  readonly dropped: () => void;
}

/**
 * The limits on waiting messages: some per partition, because rounds, answers and releases go to
 * all members at once, and some others.
 */
const messagesOfPartition = 8;
const messagesMax = 1024;

interface Entry {
  readonly output: NerioOutput;
  readonly version: number;
  /** The number of outputs up to and including this one. */
  readonly order: number;
}

/** The outputs that wait to be performed. */
export class Outbox {
  readonly #parts: OutboxParts;
  #entries: Entry[] = [];
  #appended = 0;

  constructor(parts: OutboxParts) {
    this.#parts = parts;
  }

  /**
   * Appends the outputs. They follow all earlier ones, and wait until that version is on disk.
   */
  put(outputs: readonly NerioOutput[], version: number): void {
    const isWaiting = this.#entries.length > 0;
    for (const output of outputs) {
      this.#appended += 1;
      this.#entries.push({ output, version, order: this.#appended });
    }
    if (isWaiting) this.#thin(outputs);
  }

  /** Removes and returns the next output, unless it waits for the disk. */
  next(): NerioOutput | undefined {
    const [first] = this.#entries;
    const isHeld = first !== undefined && first.version > this.#parts.durability.durable;
    return isHeld ? undefined : this.#entries.shift()?.output;
  }

  /**
   * Drops waiting proofs of a term that has ended otherwise, so that they cannot revive it (H4).
   */
  forgetProofs(partition: number): void {
    this.#leaveOut(({ output }) => output.kind === 'granted' && output.partition === partition);
  }

  /** Drops all waiting outputs. */
  clear(): void {
    this.#entries = [];
  }

  /** The number of outputs that have been appended so far. */
  get appended(): number {
    return this.#appended;
  }

  /** Whether the first outputs, that many, have all been performed or dropped. */
  hasDone(appended: number): boolean {
    const [first] = this.#entries;
    return first === undefined || first.order > appended;
  }

  /** Drops waiting outputs that newer ones or the time have made obsolete. */
  #thin(latest: readonly NerioOutput[]): void {
    const now = this.#parts.clock.now();
    const latestOnes = latest.filter(isReplaceable);
    this.#leaveOut(({ output }) => {
      if (output.kind === 'granted') return output.until <= now;
      return latestOnes.some(
        (one) =>
          one !== output &&
          one.kind === output.kind &&
          isReplaceable(output) &&
          one.partition === output.partition,
      );
    });
    let excess =
      this.#entries.filter(isSend).length -
      (messagesMax + messagesOfPartition * this.#parts.partitions);
    if (excess <= 0) return;
    this.#leaveOut((entry) => {
      if (excess === 0 || !isSend(entry)) return false;
      excess -= 1;
      this.#parts.dropped();
      return true;
    });
  }

  #leaveOut(isPointless: (entry: Entry) => boolean): void {
    this.#entries = this.#entries.filter((entry) => !isPointless(entry));
  }
}

/** Whether only the latest output of this kind matters. */
function isReplaceable(
  output: NerioOutput,
): output is NerioOutput & { readonly kind: 'leader' | 'weak' } {
  return output.kind === 'leader' || output.kind === 'weak';
}

/** Whether the output is a message, and so may be lost. */
function isSend({ output }: Entry): boolean {
  return output.kind === 'send' || output.kind === 'send-by-name';
}
