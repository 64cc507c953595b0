/** The address on which a member listens. */
export interface TcpAddress {
  /** A host name or an IP address. */
  readonly host: string;
  /** The port. */
  readonly port: number;
}
