// What a step wants done goes out in its order, and not before what it rests on is on disk: a wedge, an epoch, a grant (N4, N13). A disk
// may take its time: what has become pointless meanwhile is left out, and of what would be sent only the latest waits.
import type { Clock } from '@leadership/core/backend';
import type { NerioOutput } from '../protocol/output.ts';

/** Whatever is on disk up to a version. Versions count from 0, which needs no disk. */
export interface Durability {
  /** The latest version that is on disk. */
  readonly durable: number;
}

/** What an outbox needs of the world. */
export interface OutboxParts {
  readonly durability: Durability;
  readonly perform: (output: NerioOutput) => void;
  readonly clock: Clock;
  readonly partitions: number;
  /** The oldest message had to go for a newer one. */
  readonly dropped: () => void;
}

/** So many messages wait at most: of each partition a few, as rounds, answers and releases go to all members at once, and others. */
const messagesOfPartition = 8;
const messagesMax = 1024;

interface Entry {
  readonly output: NerioOutput;
  readonly version: number;
}

/** Outputs on their way out. */
export class Outbox {
  readonly #parts: OutboxParts;
  #entries: Entry[] = [];
  #isPerforming = false;

  constructor(parts: OutboxParts) {
    this.#parts = parts;
  }

  /** Performs these after all before them, once that version is on disk. What performing leads to waits its turn. */
  put(outputs: readonly NerioOutput[], version: number): void {
    const isWaiting = this.#entries.length > 0;
    for (const output of outputs) this.#entries.push({ output, version });
    if (isWaiting) this.#thin(outputs);
    this.proceed();
  }

  /** Performs what may go out now. */
  proceed(): void {
    if (this.#isPerforming) return;
    this.#isPerforming = true;
    try {
      for (let next = this.#next(); next !== undefined; next = this.#next()) this.#parts.perform(next);
    } finally {
      this.#isPerforming = false;
    }
  }

  /** Proof of a term that has ended otherwise revives nothing (H4): the host is told none that waits. */
  forgetProofs(partition: number): void {
    this.#leaveOut(({ output }) => output.kind === 'granted' && output.partition === partition);
  }

  /** Nothing goes out any more. */
  clear(): void {
    this.#entries = [];
  }

  /** Whether everything has gone out. */
  get isEmpty(): boolean {
    return this.#entries.length === 0 && !this.#isPerforming;
  }

  #next(): NerioOutput | undefined {
    const [first] = this.#entries;
    const isHeld = first !== undefined && first.version > this.#parts.durability.durable;
    return isHeld ? undefined : this.#entries.shift()?.output;
  }

  /** Leaves out what the latest outputs, or time, have made pointless. */
  #thin(latest: readonly NerioOutput[]): void {
    const now = this.#parts.clock.now();
    const news = latest.filter(isNews);
    this.#leaveOut(({ output }) => {
      if (output.kind === 'granted') return output.until <= now;
      return news.some((one) => one !== output && one.kind === output.kind && isNews(output) && one.partition === output.partition);
    });
    let excess = this.#entries.filter(isSend).length - (messagesMax + messagesOfPartition * this.#parts.partitions);
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

/** Of which only the latest counts. */
function isNews(output: NerioOutput): output is NerioOutput & { readonly kind: 'leader' | 'weak' } {
  return output.kind === 'leader' || output.kind === 'weak';
}

/** May be lost like any message. */
function isSend({ output }: Entry): boolean {
  return output.kind === 'send' || output.kind === 'tell';
}
