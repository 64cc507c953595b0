// The parts of a leadership URL, after parsing.

/**
 * A parsed leadership URL. `new URL` is not used, because it rejects `kafka://a:1,b:2/…` and
 * changes `file:./x`.
 */
export interface LeadershipAddress {
  /** The URL scheme, without the colon. */
  readonly scheme: string;
  /** The hosts of `scheme://HOST,HOST/PATH`; empty without `//`. */
  readonly hosts: readonly string[];
  /** The part between the hosts (or the colon) and the query, decoded. */
  readonly path: string;
  /** The query parameters, decoded and converted to the kinds that the backend declares. */
  readonly parameters: Readonly<Record<string, string | number | boolean>>;
}
