/** A leadership URL, taken apart. `new URL` would reject `kafka://a:1,b:2/…` and mangle `file:./x`. */
export interface LeadershipAddress {
  readonly scheme: string;
  /** `HOST,HOST` of `scheme://HOST,HOST/PATH`; empty without `//`. */
  readonly hosts: readonly string[];
  /** What stands between the hosts (or the colon) and the query, decoded. */
  readonly path: string;
  /** The query, decoded and of the kinds the backend's parameters name. */
  readonly parameters: Readonly<Record<string, string | number | boolean>>;
}
