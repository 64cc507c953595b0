import {
  type GossipTransportOptions,
  messageBytesMax,
  openGossipTransport,
} from './gossip-transport.ts';
import type { OpenGossip } from './transport.ts';

/** The options of {@link udpTransport}. */
export interface UdpOptions
  extends Pick<GossipTransportOptions, 'addressOf' | 'keys' | 'insecure'> {}

/**
 * Datagrams between members, and a TCP connection for a message that does not fit into one. A
 * member's name is the `HOST:PORT` at which it listens, unless `addressOf` says otherwise.
 */
export function udpTransport(own: UdpOptions = {}): OpenGossip {
  return async (place, listener) => {
    const options = { ...place, ...own };
    const transport = await openGossipTransport(options, listener);
    return {
      messageBytesMax: messageBytesMax(options),
      send: (to, message) => transport.send(to, message),
      close: () => transport.close(),
    };
  };
}
