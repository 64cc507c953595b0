/** A value as a store keeps it. */
export interface StoredValue {
  readonly value: string;
  /** The token it was written with. */
  readonly token: bigint;
}

/**
 * A store that a zombie cannot harm (T2): it keeps the highest token seen for each key and refuses lower ones. In SQL:
 * `UPDATE … SET value = $1, token = $2 WHERE key = $3 AND token <= $2`, and no row updated means refused.
 */
export interface FencedStore {
  /** Writes unless a greater token has written that key. The same token may write again. */
  write(key: string, value: string, token: bigint): Promise<'written' | 'refused'>;
  /** What was written last. */
  read(key: string): Promise<StoredValue | undefined>;
}
