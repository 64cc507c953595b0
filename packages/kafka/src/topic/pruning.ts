// Removes the old records of one partition of a topic of leases, and warns while they remain.
import { LeadershipError } from '@leadership/core';
import { kafkaError } from '../errors.ts';
import type { MemberTopic } from './member-topic.ts';
import { administer } from './topic.ts';

/** The removal of the old records of one partition. */
export class Pruning {
  readonly #topic: MemberTopic;
  readonly #partition: number;
  readonly #signal: AbortSignal;
  /** The offset below which the records remain. */
  #remaining: bigint | undefined;

  constructor(topic: MemberTopic, partition: number, signal: AbortSignal) {
    this.#topic = topic;
    this.#partition = partition;
    this.#signal = signal;
  }

  /** Removes the records below an offset, unless `prepare` resolves with false. Never rejects. */
  async cut(below: bigint, prepare: (below: bigint) => Promise<boolean>): Promise<void> {
    const { warnings } = this.#topic;
    try {
      if (!(await prepare(below))) return;
      await this.#remove(below);
      warnings.mend('pruning');
      this.reached(below);
    } catch (error) {
      if (!this.#signal.aborted) this.#report(below, error);
    }
  }

  /** Notes the offset of the first record: another member may have removed the ones before it. */
  reached(logStart: bigint): void {
    if (this.#remaining === undefined || logStart < this.#remaining) return;
    this.#remaining = undefined;
    this.#topic.warnings.mend(this.#name);
  }

  get #name(): string {
    return `pruning ${this.#partition}`;
  }

  async #remove(below: bigint): Promise<void> {
    await administer(
      this.#topic.options,
      async (admin, answer) => {
        // A separate connection: brokers answer only after every replica has cut too, and renewals
        // must not wait for that. The reader reports a topic that is missing.
        if ((await answer(admin.find())) !== undefined)
          await answer(admin.cut(this.#partition, below));
      },
      this.#signal,
    );
  }

  #report(below: bigint, error: unknown): void {
    const { options, warnings } = this.#topic;
    const { code, message } = kafkaError(error, `topic ${options.topic}`, 'Delete');
    if (code !== 'unauthorized') {
      this.#remaining = below;
      const sentence = `${message}. Old records of partition ${this.#partition} could not be removed, and it grows until that succeeds`;
      return warnings.raise(this.#name, new LeadershipError(code, sentence, { cause: error }));
    }
    // The right is recommended, as are the settings of a full check.
    const sentence = `topic ${options.topic}: old records cannot be removed, and it grows: grant Delete on it`;
    if (options.check === 'full')
      warnings.raise('pruning', new LeadershipError(code, sentence, { cause: error }));
  }
}
