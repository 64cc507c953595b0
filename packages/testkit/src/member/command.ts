/** What a member process can be told, a line of JSON each on its standard input. */
export type Command =
  | { readonly kind: 'block'; readonly ms: number }
  | { readonly kind: 'resign'; readonly partition: number }
  | { readonly kind: 'close' };
