// The options of the UDP transport: their types, defaults and checks.
import {
  type Addressing,
  addressAt,
  checkEndpoint,
  groupFault,
  LoadedKeys,
  refusedAddress,
} from '@leadership/peer';
import type { GossipKeys } from './keys.ts';

/** The options of {@link udpTransport}. */
export interface UdpOptions {
  /**
   * The address on which this member listens, for UDP and TCP. Default: the port in its name, on
   * all interfaces, or on the loopback interface alone if the name is a loopback address. An IPv6
   * host makes this member use IPv6; all members of a group use the same version.
   */
  readonly listen?: { readonly host?: string; readonly port?: number };
  /** The address of each member, `HOST:PORT` by name. Default: a member's name is its address. */
  readonly addresses?: Readonly<Record<string, string>> | ((member: string) => string | undefined);
  /**
   * Shared secrets; datagrams without one of them are dropped. A function is called every second,
   * so that they can be rotated. It must not be asynchronous: a member must not start without its
   * keys, and checks each datagram as it arrives. Load the keys elsewhere, and return the latest ones.
   */
  readonly keys?: GossipKeys | (() => GossipKeys);
  /**
   * Without `keys` every host that reaches the port may vote. A member then refuses to listen on, or
   * to send to, any address except loopback, unless this is `true`. Default `false`.
   */
  readonly insecure?: boolean;
}

/** The options, complete and checked. */
export interface UdpSettings extends Addressing {
  readonly keys: (() => GossipKeys) | undefined;
}

const names: Readonly<Record<keyof UdpOptions, true>> = {
  listen: true,
  addresses: true,
  keys: true,
  insecure: true,
};

/** The ways to leave the host safely. */
export const remedy = 'set keys, or use 127.0.0.1, or set insecure: true';

/**
 * Checks the options, and loads the keys once.
 * @throws LeadershipError `invalid-options`; `unauthorized` if `keys` throws
 */
export function resolveUdp(options: UdpOptions): UdpSettings {
  const { insecure, ...endpoint } = checkEndpoint('udpTransport', Object.keys(names), options);
  if (endpoint.keys) new LoadedKeys(endpoint.keys);
  return { ...endpoint, isLocal: !insecure && endpoint.keys === undefined };
}

/** Returns why this member cannot listen, or cannot reach others, if so. */
export function faultIn(
  settings: UdpSettings,
  member: string,
  others: readonly string[],
): string | undefined {
  return groupFault(settings, { member, others, remedy }, (other) => faultAt(settings, other));
}

function faultAt(settings: UdpSettings, member: string): string | undefined {
  const at = addressAt(settings, member);
  const why = typeof at === 'string' ? at : refusedAddress(settings, at, remedy);
  return why && `member "${member}" ${why}`;
}
