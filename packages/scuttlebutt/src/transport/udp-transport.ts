import { type GossipTransportOptions, openGossipTransport } from './gossip-transport.ts';
import type { GossipPlace, OpenGossip } from './transport.ts';

/** The options of {@link udpTransport}. */
export interface UdpOptions extends Omit<GossipTransportOptions, keyof GossipPlace> {}

/**
 * Datagrams between members, and a TCP connection for a message that does not fit into one. A
 * member's name is the `HOST:PORT` at which it listens, unless `addressOf` says otherwise.
 */
export function udpTransport(own: UdpOptions = {}): OpenGossip {
  return (place, listener) => openGossipTransport({ ...place, ...own }, listener);
}
