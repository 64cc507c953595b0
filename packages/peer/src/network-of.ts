// Groups the addresses of peers by host, so that limits count hosts.
import { isIPv6 } from 'node:net';

/** The prefix of an IPv4 address on a socket that listens for both versions. */
const mapped = '::ffff:';
/**
 * The smallest IPv6 network has 64 bits, four groups. A host in it can use any address of the
 * network.
 */
const groupsOfNetwork = 4;
const groupsOfAddress = 8;

/** Returns the host (IPv4) or the network (IPv6) of an address, for counting connections. */
export function networkOf(address: string): string {
  if (!isIPv6(address) || address.startsWith(mapped)) return address;
  const [head = [], tail = []] = address
    .split('::')
    .map((part) => part.split(':').filter((group) => group !== ''));
  const zeros = Array.from(
    { length: Math.max(0, groupsOfAddress - head.length - tail.length) },
    () => '0',
  );
  return [...head, ...zeros, ...tail].slice(0, groupsOfNetwork).join(':');
}
