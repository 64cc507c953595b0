/**
 * Parses a small JSON file of a member and returns its fields; `undefined` if it is not a JSON
 * object.
 */
export function jsonFields(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const data: unknown = JSON.parse(text);
    return typeof data === 'object' && data !== null
      ? (data as Readonly<Record<string, unknown>>)
      : undefined;
  } catch {
    return undefined;
  }
}
