// Bounds what is remembered of others, who choose its keys.

/** Stores a value. If there are too many, forgets the one whose key was added first. */
export function keepLatest<Key, Value>(
  values: Map<Key, Value>,
  key: Key,
  value: Value,
  sizeMax: number,
): void {
  const oldest = values.keys().next();
  if (values.size >= sizeMax && !values.has(key) && !oldest.done) values.delete(oldest.value);
  values.set(key, value);
}
