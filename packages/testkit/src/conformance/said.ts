/** A value of any stream as text: equal texts are equal values. */
export function said(value: unknown): string {
  // `toJSON` has been called on what is passed to a replacer: maps are looked at before.
  const text: string | undefined = JSON.stringify(value, function (this: Readonly<Record<string, unknown>>, key, part: unknown) {
    const own = this[key];
    if (own instanceof Map) return [...own];
    return typeof part === 'bigint' ? part.toString() : part;
  });
  return text ?? 'undefined';
}
