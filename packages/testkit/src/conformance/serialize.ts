// Compares the values of streams in checks.

/** Serializes a value of any stream. Equal texts mean equal values. */
export function serialize(value: unknown): string {
  // A replacer receives values after `toJSON`, so maps are read from the parent object.
  const text: string | undefined = JSON.stringify(
    value,
    function (this: Readonly<Record<string, unknown>>, key, part: unknown) {
      const own = this[key];
      if (own instanceof Map) return [...own];
      return typeof part === 'bigint' ? part.toString() : part;
    },
  );
  return text ?? 'undefined';
}
