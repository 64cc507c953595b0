/** Throws `broken`, a sentence that says which promise was not kept and how, unless `holds`. */
export function insist(holds: boolean, broken: string | (() => string)): asserts holds {
  if (!holds) throw new Error(typeof broken === 'string' ? broken : broken());
}
