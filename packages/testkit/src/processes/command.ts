// The commands that a test sends to a member process.

/** A command to a member process: one line of JSON on its standard input. */
export type Command =
  | { readonly kind: 'block'; readonly ms: number }
  | { readonly kind: 'resign'; readonly partition: number }
  | { readonly kind: 'close' }
  /** Dies by an uncaught exception, or by `process.exit()`. */
  | { readonly kind: 'throw' | 'exit' }
  /** Logs the processor time used so far, or the longest stall of the event loop, with or without waits for a core. */
  | { readonly kind: 'cpu' | 'stall' | 'busy' };
