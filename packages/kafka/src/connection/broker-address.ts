// Parses the address of a broker.
import { LeadershipError } from '@leadership/core';

/** Kafka's default port, for addresses without a port. */
export const defaultPort = 9092;

const portMax = 65_535;
const addressPattern = /^(?:\[(?<ipv6>[^\]]+)\]|(?<name>[^:]+))(?::(?<port>\d+))?$/;

/**
 * Parses `host` or `host:port`. An IPv6 address must be in brackets.
 * @throws LeadershipError `invalid-options`
 */
export function parseAddress(address: string): { readonly host: string; readonly port: number } {
  const { ipv6, name, port = defaultPort } = addressPattern.exec(address)?.groups ?? {};
  const host = ipv6 ?? name;
  if (host === undefined || Number(port) > portMax)
    throw new LeadershipError(
      'invalid-options',
      `broker "${address}" must be HOST or HOST:PORT, with an IPv6 address in brackets`,
    );
  return { host, port: Number(port) };
}
