/** A command to a member process: one line of JSON on its standard input. */
export type Command =
  | { readonly kind: 'block'; readonly ms: number }
  | { readonly kind: 'resign'; readonly partition: number }
  | { readonly kind: 'close' };
