import type { Ears, Introduction, Namesake } from '../transport.ts';

/** One connection, whoever has opened it. */
export interface Connection {
  /** Where the other end is. */
  readonly address: string;
  /** Ends the connection, because another life of the same member has come. If the other end still lives, it learns which. */
  displace(by: Namesake): void;
}

interface Acquaintance {
  readonly peer: Introduction;
  readonly connections: Set<Connection>;
}

/** Which members are there, by the connections with them. */
export class Meetings {
  readonly #ears: Pick<Ears, 'met' | 'parted'>;
  readonly #known = new Map<string, Acquaintance>();

  constructor(ears: Pick<Ears, 'met' | 'parted'>) {
    this.#ears = ears;
  }

  /** A connection with that life of a member is there. */
  joined(peer: Introduction, connection: Connection): void {
    const before = this.#known.get(peer.member);
    if (before?.peer.incarnation === peer.incarnation) {
      before.connections.add(connection);
      return;
    }
    if (before !== undefined) this.#part(before);
    this.#known.set(peer.member, { peer, connections: new Set([connection]) });
    this.#ears.met(peer);
    const by = { incarnation: peer.incarnation, address: connection.address };
    for (const old of before?.connections ?? []) old.displace(by);
  }

  /** It is not there any more. */
  left(member: string, connection: Connection): void {
    const known = this.#known.get(member);
    if (known?.connections.delete(connection) && known.connections.size === 0) this.#part(known);
  }

  #part({ peer }: Acquaintance): void {
    this.#known.delete(peer.member);
    this.#ears.parted(peer);
  }
}
