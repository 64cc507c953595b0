/** Parses a text as a JSON object and returns its fields; `undefined` if the text is not one. */
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
