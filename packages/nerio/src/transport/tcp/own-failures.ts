// Collects what this member's own transport cannot do, for `health()`: listen, load its keys,
// connect.
import { LeadershipError } from '@leadership/core';
import type { TransportListener } from '../transport.ts';

/** The parts of this member's own transport that can fail. */
export type OwnPart = 'listen' | 'listening' | 'keys' | 'tls' | 'speaksFor';

/**
 * The failures of this member's own transport, reported as one error: the code of the first, the
 * messages of all.
 */
export class OwnFailures {
  readonly #listener: Pick<TransportListener, 'failed' | 'mended'>;
  readonly #errors = new Map<OwnPart, LeadershipError>();
  #reported: string | undefined;

  constructor(listener: Pick<TransportListener, 'failed' | 'mended'>) {
    this.#listener = listener;
  }

  raise(what: OwnPart, error: LeadershipError): void {
    this.#errors.set(what, error);
    this.#report();
  }

  /** Sets or removes the failure of one part. */
  set(what: OwnPart, error: LeadershipError | undefined): void {
    if (error === undefined) this.mend(what);
    else this.raise(what, error);
  }

  mend(what: OwnPart): void {
    if (this.#errors.delete(what)) this.#report();
  }

  #report(): void {
    const errors = [...this.#errors.values()];
    const [first] = errors;
    const sentence = first && errors.map(({ message }) => message).join('; ');
    if (sentence === this.#reported) return;
    this.#reported = sentence;
    if (first === undefined || sentence === undefined) return this.#listener.mended(undefined);
    this.#listener.failed(
      undefined,
      new LeadershipError(first.code, sentence, { cause: first.cause ?? first }),
    );
  }
}
