// Remembers what other members publish about themselves, for the leaders that the application sees.
import type { Metadata } from '@leadership/core';
import type { Sender } from '../protocol/message.ts';
import type { Introduction } from '../transport/transport.ts';

/**
 * The number of remembered incarnations of all members together. It exceeds the greatest number of
 * members.
 */
const livesMax = 64;

/** The metadata that members sent when they connected. */
export class PeerMetadata {
  readonly #metadata = new Map<string, Metadata>();

  /** The metadata of this member is known from the start. */
  constructor({ incarnation }: Sender, metadata: Metadata) {
    this.#metadata.set(incarnation, metadata);
  }

  connected({ incarnation, metadata }: Introduction): void {
    this.#metadata.delete(incarnation);
    this.#metadata.set(incarnation, metadata);
    const [, oldest] = this.#metadata.keys();
    if (this.#metadata.size > livesMax && oldest !== undefined) this.#metadata.delete(oldest);
  }

  /** The metadata of that incarnation; empty if it has never connected. */
  metadataOf({ incarnation }: Sender): Metadata {
    return this.#metadata.get(incarnation) ?? {};
  }
}
