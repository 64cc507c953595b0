// Knows which members this one is connected with.
import type { Displacer, Introduction, TransportListener } from '../transport.ts';

/** One connection, in either direction. */
export interface Connection {
  /** The address of the other end. */
  readonly address: string;
  /**
   * Ends the connection, because a later incarnation of the member has connected. Notifies the
   * other end if it still lives.
   */
  displace(by: Displacer): void;
}

interface ConnectedPeer {
  readonly peer: Introduction;
  readonly connections: Set<Connection>;
}

/** Tracks the connected members by the connections with them. */
export class ConnectionRegistry {
  readonly #listener: Pick<TransportListener, 'connected' | 'disconnected'>;
  readonly #known = new Map<string, ConnectedPeer>();

  constructor(listener: Pick<TransportListener, 'connected' | 'disconnected'>) {
    this.#listener = listener;
  }

  /** A connection with that incarnation of a member was opened. */
  joined(peer: Introduction, connection: Connection): void {
    const before = this.#known.get(peer.member);
    if (before?.peer.incarnation === peer.incarnation) {
      before.connections.add(connection);
      return;
    }
    if (before !== undefined) this.#part(before);
    this.#known.set(peer.member, { peer, connections: new Set([connection]) });
    this.#listener.connected(peer);
    const by = { incarnation: peer.incarnation, address: connection.address };
    for (const old of before?.connections ?? []) old.displace(by);
  }

  /** The connection has ended. */
  left(member: string, connection: Connection): void {
    const known = this.#known.get(member);
    if (known?.connections.delete(connection) && known.connections.size === 0) this.#part(known);
  }

  #part({ peer }: ConnectedPeer): void {
    this.#known.delete(peer.member);
    this.#listener.disconnected(peer);
  }
}
