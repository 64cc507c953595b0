// A store in which tests show that a stale leader cannot overwrite newer values.

/**
 * A store that is safe from zombies (T2): it keeps the highest token of each key and rejects lower
 * ones. In SQL: `UPDATE … SET value = $1, token = $2 WHERE key = $3 AND token <= $2`; if no row
 * changed, the write was rejected.
 */
export interface FencedStore {
  /** Writes the value unless the key has a greater token. A token may write repeatedly. */
  write(key: string, value: string, token: bigint): Promise<'written' | 'refused'>;
  /** Returns the last written value. */
  read(key: string): Promise<
    | {
        /** The text that was written last. */
        readonly value: string;
        /** The token of the write. */
        readonly token: bigint;
      }
    | undefined
  >;
}

/** A stored value. */
export type StoredValue = NonNullable<Awaited<ReturnType<FencedStore['read']>>>;
