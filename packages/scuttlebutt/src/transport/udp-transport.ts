// The transport of gossip that applications use.
import { GossipSockets } from './gossip-sockets.ts';
import type { OpenGossip } from './transport.ts';
import { faultIn, resolveUdp, type UdpOptions } from './udp-options.ts';

/**
 * Datagrams between members, and a TCP connection for a message that does not fit into one. A
 * member's name is the `HOST:PORT` at which it listens, unless `addresses` says otherwise. Loads
 * keys here and when the transport opens; a member never starts without its keys.
 * @throws LeadershipError `invalid-options`; `unauthorized` if `keys` throws
 */
export function udpTransport(options: UdpOptions = {}): OpenGossip {
  const settings = resolveUdp(options);
  const open: OpenGossip = (place, listener) => GossipSockets.open(settings, place, listener);
  return Object.assign(open, {
    fault: (member: string, configured: readonly string[]) => faultIn(settings, member, configured),
  });
}
