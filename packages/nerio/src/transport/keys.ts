// The option `keys`: the secrets with which members authenticate each other.

/** The shared secrets of a group, by ids that you choose. */
export interface NerioKeys {
  /** The id of the signing key of this member, one of `accept`. */
  readonly sign: string;
  /**
   * The accepted keys, of at least 16 bytes each; 32 random bytes are recommended. A string counts
   * as its UTF-8 bytes.
   */
  readonly accept: Readonly<Record<string, string | Uint8Array>>;
}
