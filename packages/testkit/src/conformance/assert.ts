/** Throws an error with the message `broken` unless `holds` is true. */
export function assert(holds: boolean, broken: string | (() => string)): asserts holds {
  if (!holds) throw new Error(typeof broken === 'string' ? broken : broken());
}
