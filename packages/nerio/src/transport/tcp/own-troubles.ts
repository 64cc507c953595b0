import { LeadershipError } from '@leadership/core';
import type { Ears } from '../transport.ts';

/** What can be wrong with this member's own end. */
export type OwnTrouble = 'listen' | 'listening' | 'keys' | 'tls' | 'speaksFor';

/** What is wrong with it, told as one: the first of it with its code, the sentences of all. */
export class OwnTroubles {
  readonly #ears: Pick<Ears, 'failed' | 'mended'>;
  readonly #errors = new Map<OwnTrouble, LeadershipError>();
  #told: string | undefined;

  constructor(ears: Pick<Ears, 'failed' | 'mended'>) {
    this.#ears = ears;
  }

  raise(what: OwnTrouble, error: LeadershipError): void {
    this.#errors.set(what, error);
    this.#tell();
  }

  /** What it is now: an error, or nothing. */
  set(what: OwnTrouble, error: LeadershipError | undefined): void {
    if (error === undefined) this.mend(what);
    else this.raise(what, error);
  }

  mend(what: OwnTrouble): void {
    if (this.#errors.delete(what)) this.#tell();
  }

  #tell(): void {
    const errors = [...this.#errors.values()];
    const [first] = errors;
    const sentence = first && errors.map(({ message }) => message).join('; ');
    if (sentence === this.#told) return;
    this.#told = sentence;
    if (first === undefined || sentence === undefined) return this.#ears.mended(undefined);
    this.#ears.failed(undefined, new LeadershipError(first.code, sentence, { cause: first.cause ?? first }));
  }
}
