// Parses the address of a member.

/** An address on which a member listens. */
export interface HostPort {
  /** A host name or an IP address. */
  readonly host: string;
  readonly port: number;
}

/** Reads `HOST:PORT` or `[IPV6]:PORT`; `undefined` for any other text. */
export function parseHostPort(text: string): HostPort | undefined {
  const [, bracketed, plain, digits = ''] =
    /^(?:\[([^\]]+)\]|([^:\s]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = bracketed ?? plain;
  const port = Number(digits);
  return host !== undefined && port >= 1 && port <= 65_535 ? { host, port } : undefined;
}
