/** The address on which a member listens. */
export interface TcpAddress {
  /** A host name or an IP address. */
  readonly host: string;
  /** The port. */
  readonly port: number;
}

/** Reads `HOST:PORT` or `[IPV6]:PORT`; `undefined` for any other text. */
export function parseTcpAddress(text: string): TcpAddress | undefined {
  const [, bracketed, plain, digits = ''] =
    /^(?:\[([^\]]+)\]|([^:\s]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = bracketed ?? plain;
  const port = Number(digits);
  return host !== undefined && port >= 1 && port <= 65_535 ? { host, port } : undefined;
}
