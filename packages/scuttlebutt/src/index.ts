/**
 * Leader election on gossip: a few voters, hundreds of members, no full mesh and no broker.
 * {@link scuttlebuttLeadership} opens a source on it, and so does
 * `openLeadership('gossip://HOST,HOST/GROUP?member=HOST')`.
 *
 * @packageDocumentation
 */
export type { ScuttlebuttOptions } from './options.ts';
export { backend, scuttlebuttLeadership } from './scuttlebutt-leadership.ts';
export type { GossipMember, ScuttlebuttSource } from './scuttlebutt-source.ts';
export type { Drop } from './transport/envelope.ts';
export type { GossipKeys } from './transport/keys.ts';
export type {
  GossipListener,
  GossipPlace,
  GossipTransport,
  OpenGossip,
} from './transport/transport.ts';
export type { UdpOptions } from './transport/udp-options.ts';
export { udpTransport } from './transport/udp-transport.ts';
export type { GossipUrlOptions } from './url-options.ts';
