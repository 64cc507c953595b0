// Rule numbers such as L3: docs/reference/rules.md.
/**
 * Leader election among the members themselves: leases granted by quorums, edicts in the order of
 * their creation, and no broker. {@link nerioLeadership} opens a source on it, and so does
 * `openLeadership('nerio://HOST,HOST/GROUP?member=HOST')`.
 *
 * @packageDocumentation
 */
export { backend, nerioLeadership } from './nerio-leadership.ts';
export type {
  NerioSource,
  Verification,
  WeakLeader,
} from './nerio-source.ts';
export type { NerioOptions } from './options.ts';
export {
  compareEdicts,
  type EdictStamp,
  type GranterSample,
  type QuorumTimestamp,
} from './protocol/edict.ts';
export type { Epoch, EpochMember } from './protocol/electorate.ts';
export type { QuorumSpec } from './protocol/quorums.ts';
export type { NerioKeys } from './transport/keys.ts';
export type { TcpAddress } from './transport/tcp/address.ts';
export type { TcpOptions } from './transport/tcp/options.ts';
export { tcpTransport } from './transport/tcp/tcp-transport.ts';
export type { NerioTls } from './transport/tcp/tls.ts';
export type {
  Drop,
  Introduction,
  Message,
  OpenTransport,
  Transport,
  TransportListener,
  TransportParts,
} from './transport/transport.ts';
export type { NerioUrlOptions } from './url-options.ts';
