// Remembers what members publish about themselves, for the leaders and the members that the
// application sees.
import type { Metadata } from '@leadership/core';
import type { KnownMember, Publication } from '@leadership/core/adapter';
import type { EpochMember } from '../protocol/electorate.ts';
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

  /** This member, and those to which a connection exists, by incarnation. */
  readonly #present = new Map<string, Introduction>();

  /** The publications of the present ones, by incarnation. */
  readonly #published = new Map<string, Publication>();

  /** This member is known from the start. */
  constructor(self: Introduction) {
    this.connected(self);
  }

  connected(peer: Introduction): void {
    const { incarnation, metadata } = peer;
    this.#present.set(incarnation, peer);
    this.#metadata.delete(incarnation);
    this.#metadata.set(incarnation, metadata);
    const [, oldest] = this.#metadata.keys();
    if (this.#metadata.size > livesMax && oldest !== undefined) this.#metadata.delete(oldest);
  }

  disconnected({ incarnation }: Sender): void {
    this.#present.delete(incarnation);
    this.#published.delete(incarnation);
  }

  /** Notes what a present member publishes, or this one. */
  published({ incarnation }: Pick<Sender, 'incarnation'>, publication: Publication): void {
    if (this.#present.has(incarnation)) this.#published.set(incarnation, publication);
  }

  /** Returns the members of the epoch to which a connection exists, and this one. */
  present(members: readonly EpochMember[]): readonly KnownMember[] {
    const stands = new Map(members.map((one) => [one.member, one.stands !== false]));
    return [...this.#present.values()]
      .filter(({ member }) => stands.has(member))
      .map(({ member, incarnation, metadata, observes = false, since }) => ({
        member,
        incarnation,
        metadata,
        isCandidate: !observes && stands.get(member) === true,
        ...this.#published.get(incarnation),
        ...(since !== undefined && { since }),
      }));
  }

  /** The metadata of that incarnation; empty if it has never connected. */
  metadataOf({ incarnation }: Sender): Metadata {
    return this.#metadata.get(incarnation) ?? {};
  }
}
