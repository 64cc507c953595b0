// Passes the beginning, renewal and end of terms from the state machine of a protocol to the
// source, and its answers back. The driver of each protocol has one.
import type { Host } from '../contract/backend.ts';
import type { LossReason } from '../contract/leadership.ts';
import type { Instant } from '../time/instant.ts';

/** The outputs of every protocol that begin, extend or end a term. */
export type TermOutput =
  | {
      readonly kind: 'granted';
      readonly token: bigint;
      readonly until: Instant;
      /** The instant before the proof was requested (H6). */
      readonly sentAt: Instant;
    }
  /** Drain the work of the term with this token. */
  | { readonly kind: 'drain'; readonly token: bigint }
  /** The term ended in order. */
  | { readonly kind: 'released' }
  | { readonly kind: 'lost'; readonly reason: LossReason };

/** The inputs by which the host answers. A machine of one partition ignores `partition`. */
export type TermInput =
  | { readonly kind: 'drained'; readonly partition: number }
  /** The host ended the term. `lapse`: let the lease lapse instead of releasing it (H3). */
  | { readonly kind: 'fenced'; readonly partition: number; readonly lapse: boolean };

/** A host that ends terms, and the machine that receives its answers. */
export interface TermParts {
  readonly host: Pick<Host, 'granted' | 'drain' | 'released' | 'lost'>;
  readonly feed: (input: TermInput) => unknown;
  /** Returns the token of the term that drains, if one does. */
  readonly drainingToken: (partition: number) => bigint | undefined;
}

/** Performs the outputs of a machine that concern terms, and feeds it the host's answers. */
export class Terms {
  readonly #parts: TermParts;

  constructor(parts: TermParts) {
    this.#parts = parts;
  }

  perform(partition: number, output: TermOutput): void {
    const { host } = this.#parts;
    switch (output.kind) {
      case 'granted':
        return this.#granted(partition, output);
      case 'drain':
        return void this.#drain(partition, output.token);
      case 'released':
        return host.released(partition);
      case 'lost':
        return host.lost(partition, output.reason);
    }
  }

  #granted(
    partition: number,
    { token, until, sentAt }: TermOutput & { readonly kind: 'granted' },
  ): void {
    const { host, feed } = this.#parts;
    const answer = host.granted({ partition, token, until, sentAt });
    if (answer === 'over') feed({ kind: 'fenced', partition, lapse: false });
  }

  async #drain(partition: number, token: bigint): Promise<void> {
    const { host, feed, drainingToken } = this.#parts;
    const end = await host.drain(partition);
    // If the term ended in another way meanwhile, ignore the result. On a slow disk, another term
    // may drain by now.
    if (drainingToken(partition) !== token) return;
    if (end === 'drained') feed({ kind: 'drained', partition });
    else feed({ kind: 'fenced', partition, lapse: true });
  }
}

/**
 * Returns a function that returns whether the terms that a member has now in the partitions are
 * over. Terms that begin later do not count. `tokenIn`: the token of the member's current term.
 */
export function endOfTerms(
  partitions: readonly number[],
  tokenIn: (partition: number) => bigint | undefined,
): () => boolean {
  const tokens = partitions.map(tokenIn);
  return () =>
    partitions.every((partition, index) => {
      const token = tokenIn(partition);
      return token === undefined || token !== tokens[index];
    });
}
