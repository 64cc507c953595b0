/** Throws an error with the message `broken` unless `holds` is true. */
export function assert(holds: boolean, broken: string | (() => string)): asserts holds {
  if (!holds) throw new Error(typeof broken === 'string' ? broken : broken());
}

/** Throws an error that names both tokens, unless `token` is greater than `other`. */
export function assertGreater(what: string, token: bigint, other: bigint): void {
  assert(token > other, `${what} ${token} is not greater than ${other}`);
}
