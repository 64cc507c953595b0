// Matches answers of other members to the queries of the application, and gives up on late ones.
import type { Sender } from '../protocol/message.ts';
import type { NerioOutput, Verdict } from '../protocol/output.ts';

type Answer = NerioOutput & { readonly kind: 'verified' | 'found' };

/** The pending queries to other members. */
export class Answers {
  readonly #waiting = new Map<number, (answer: Answer | undefined) => void>();
  #lastId: number;

  /**
   * Starts at a random id, so that an answer to an earlier incarnation fits no query of this one
   * (N12).
   */
  constructor(random: () => number) {
    this.#lastId = Math.floor(random() * 2 ** 31);
  }

  /** Sends a query and waits for the verdict; `undefined` once the signal aborts. */
  async verdict(send: (id: number) => void, signal: AbortSignal): Promise<Verdict | undefined> {
    const answer = await this.#answer(send, signal);
    return answer?.kind === 'verified' ? answer.verdict : undefined;
  }

  /** Sends a query and waits for the leader; `undefined` if none is found. */
  async leader(send: (id: number) => void, signal: AbortSignal): Promise<Sender | undefined> {
    const answer = await this.#answer(send, signal);
    return answer?.kind === 'found' ? answer.leader : undefined;
  }

  /** Passes the answer to its query. Ignores an answer to a query that has ended. */
  receive(answer: Answer): void {
    this.#waiting.get(answer.id)?.(answer);
  }

  #answer(send: (id: number) => void, signal: AbortSignal): Promise<Answer | undefined> {
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve) => {
      const settle = (answer: Answer | undefined): void => {
        this.#waiting.delete(id);
        signal.removeEventListener('abort', giveUp);
        resolve(answer);
      };
      const giveUp = (): void => settle(undefined);
      if (signal.aborted) return resolve(undefined);
      signal.addEventListener('abort', giveUp, { once: true });
      this.#waiting.set(id, settle);
      send(id);
    });
  }
}
