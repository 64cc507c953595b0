import { isIPv6 } from 'node:net';

/** An address of version 4 in the clothes of version 6: a socket that listens to both says so. */
const mapped = '::ffff:';
/** A network of version 6, the least that anybody is given, has 64 bits: four groups. Whoever calls from it has as many addresses as it likes. */
const groupsOfNetwork = 4;
const groupsOfAddress = 8;

/** Whom an address belongs to, for counting: one host of version 4, one network of version 6. */
export function neighbourhoodOf(address: string): string {
  if (!isIPv6(address) || address.startsWith(mapped)) return address;
  const [head = [], tail = []] = address.split('::').map((part) => part.split(':').filter((group) => group !== ''));
  const zeros = Array.from({ length: Math.max(0, groupsOfAddress - head.length - tail.length) }, () => '0');
  return [...head, ...zeros, ...tail].slice(0, groupsOfNetwork).join(':');
}
