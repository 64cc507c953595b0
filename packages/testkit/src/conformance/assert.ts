/** Throws an error with the message `broken` unless `holds` is true. */
export function insist(holds: boolean, broken: string | (() => string)): asserts holds {
  if (!holds) throw new Error(typeof broken === 'string' ? broken : broken());
}
