import { LeadershipError } from '@leadership/core';
import type { Ears } from '../transport.ts';

/** The parts of this member's own transport that can fail. */
export type OwnTrouble = 'listen' | 'listening' | 'keys' | 'tls' | 'speaksFor';

/** The failures of this member's own transport, reported as one error: the code of the first, the messages of all. */
export class OwnTroubles {
  readonly #ears: Pick<Ears, 'failed' | 'mended'>;
  readonly #errors = new Map<OwnTrouble, LeadershipError>();
  #reported: string | undefined;

  constructor(ears: Pick<Ears, 'failed' | 'mended'>) {
    this.#ears = ears;
  }

  raise(what: OwnTrouble, error: LeadershipError): void {
    this.#errors.set(what, error);
    this.#report();
  }

  /** Sets or removes the failure of one part. */
  set(what: OwnTrouble, error: LeadershipError | undefined): void {
    if (error === undefined) this.mend(what);
    else this.raise(what, error);
  }

  mend(what: OwnTrouble): void {
    if (this.#errors.delete(what)) this.#report();
  }

  #report(): void {
    const errors = [...this.#errors.values()];
    const [first] = errors;
    const sentence = first && errors.map(({ message }) => message).join('; ');
    if (sentence === this.#reported) return;
    this.#reported = sentence;
    if (first === undefined || sentence === undefined) return this.#ears.mended(undefined);
    this.#ears.failed(undefined, new LeadershipError(first.code, sentence, { cause: first.cause ?? first }));
  }
}
