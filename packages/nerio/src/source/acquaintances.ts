import type { Metadata } from '@leadership/core';
import type { Sender } from '../protocol/message.ts';
import type { Introduction } from '../transport/transport.ts';

/** So many lives of all members together are remembered: of each the latest, and some before. */
const livesMax = 64;

/** What members said of themselves when they were met. */
export class Acquaintances {
  readonly #metadata = new Map<string, Metadata>();

  /** The metadata of one's own is known from the beginning. */
  constructor({ incarnation }: Sender, metadata: Metadata) {
    this.#metadata.set(incarnation, metadata);
  }

  met({ incarnation, metadata }: Introduction): void {
    this.#metadata.delete(incarnation);
    this.#metadata.set(incarnation, metadata);
    const [, oldest] = this.#metadata.keys();
    if (this.#metadata.size > livesMax && oldest !== undefined) this.#metadata.delete(oldest);
  }

  /** What that life of a member said; nothing where it was never met. */
  metadataOf({ incarnation }: Sender): Metadata {
    return this.#metadata.get(incarnation) ?? {};
  }
}
